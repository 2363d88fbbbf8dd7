"""Models of a run as they were at its steps, made again from its lines for the page.

A suggestion is a function of the trials before it, so a method that is told them again has the
model and the criterion that the suggestion came from.
"""

from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from neuralbo.criteria.feasible import keep_feasible
from neuralbo.engine.step import Step
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.policies import Plan, Plans
from neuralbo.policies.box import ZoomedCriterion, ZoomedModel
from neuralbo.space import Space
from neuralbo.surrogates.classifiers.class_model import ClassModel
from torch import Tensor

from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.report import Results
from neuralbo_lab.core.store import Line
from neuralbo_lab.figures.models import View1D, View2D
from neuralbo_lab.figures.views import Frame, view_1d, view_2d
from neuralbo_lab.problems import Problem, find

PANELS = 6  # steps of a run that are shown
MOST = 32  # galleries on a page
SLOW = 5.0  # seconds of a suggestion from which on its model is not made again for the page


def shown_methods(results: Results, problem: str) -> tuple[str, ...]:
    """Return the methods whose models a page shows on a problem: the first that are not slow."""
    drawn = [p for p in results.study.problems if _has_views(p)]
    if problem not in drawn:
        return ()
    runs = {m: results.runs.get(Cell(problem, m, 0)) for m in results.study.methods}
    quick = [m for m, run in runs.items() if run is not None and not run.seconds >= SLOW]
    return tuple(m for m in quick if find_method(m).is_pure)[: max(1, MOST // len(drawn))]


def _has_views(problem: str) -> bool:
    objective = find(problem)
    return isinstance(objective, Problem) and objective.d <= 2


def views_1d(results: Results, problem: str, method: str, seed: int = 0) -> dict[int, View1D]:
    """Return model and criterion before so many trials of a run; nothing if it has no model."""
    views = {}
    for number, step, model, acquisition, frame in _steps(results, Cell(problem, method, seed)):
        if isinstance(model, ClassModel):  # has no distribution of the values to draw
            continue
        proposal = _proposal(results, Cell(problem, method, seed), number)
        views[number] = view_1d(model, acquisition, step.data, frame, proposal)
    return views


def views_2d(results: Results, problem: str, method: str, seed: int = 0) -> dict[int, View2D]:
    """Return the criterion before so many trials of a run; nothing if it has no model."""
    views = {}
    for number, step, _, acquisition, frame in _steps(results, Cell(problem, method, seed)):
        proposal = _proposal(results, Cell(problem, method, seed), number)
        views[number] = view_2d(acquisition, step.data, frame, proposal)
    return views


def _steps(
    results: Results, cell: Cell
) -> list[tuple[int, Step, Model, AcquisitionFunction, Frame]]:
    """Return the steps that are shown: evenly chosen, the first and the last among them."""
    run, problem = results.runs.get(cell), find(cell.problem)
    if run is None or run.reason is not None or not isinstance(problem, Problem):
        return []
    method = find_method(cell.method)
    if not method.is_pure:  # a peer
        return []
    optimizer = method.make(Space(problem.space()), cell.seed, results.study.trials)
    if not isinstance(optimizer, Optimizer):
        return []
    start = results.study.start_of(cell.problem)
    trials = [line for line in run.trials if "attempt" not in line]
    frame, found = Frame(problem, start=start), []
    for number in _shown(start, len(trials)):
        for line in trials[len(optimizer.trials) : number]:
            optimizer.tell(line["params"], line["value"])
        step = optimizer.step()
        policy = optimizer.policy
        plan = policy.plan(step) if step.data.n and isinstance(policy, Plans) else None
        if plan is not None:
            found.append((number, step, *_model(plan), frame))
    return found


def _model(plan: Plan) -> tuple[Model, AcquisitionFunction]:
    """Return model and criterion of a step, both as functions of points of the cube."""
    policy, step, box = plan
    model = step.fit(policy.surrogate, step.data)
    criterion = policy.criterion_at(step, model)
    acquisition = keep_feasible(criterion, criterion(step, model), step)
    if box is None:
        return model, acquisition
    return ZoomedModel(model, box), ZoomedCriterion(acquisition, box)


def _shown(start: int, trials: int) -> list[int]:
    steps = list(range(start, trials))
    if len(steps) <= PANELS:
        return steps
    return [steps[round(i * (len(steps) - 1) / (PANELS - 1))] for i in range(PANELS)]


def _proposal(results: Results, cell: Cell, number: int) -> Tensor:
    line: Line = results.runs[cell].trials[number]
    return Space(find(cell.problem).space()).encode([line["params"]])
