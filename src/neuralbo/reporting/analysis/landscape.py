"""A model of one objective of a study, and what it says in the units of the objective.

Notation
    U  n x v  coordinates of the parameters, see `space.domain`; NaN where one does not exist
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import torch
from torch import Tensor

from neuralbo.data import Data, in_order
from neuralbo.engine.recommendation import Recommended, recommended
from neuralbo.engine.step import Memory, Step, generator
from neuralbo.engine.threads import one_thread
from neuralbo.errors import FitError
from neuralbo.interfaces.optuna.parameter_ranges import union
from neuralbo.interfaces.optuna.trials import conditional_space, observed
from neuralbo.reporting.analysis.record import Record, is_done
from neuralbo.space import Categorical, Space
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.surrogate import GaussianModel

FEW = 200  # trials that a model is fitted to: so many take a quarter of a second
NEAR = 66  # of many trials so many are taken from around the best; the others evenly from all
LEADERS = 10  # the best, around which they are taken
LEAST = 3  # values below which no model is fitted
ROWS = 4096  # points that are predicted at a time
SEED = 0  # a page of the same study is the same page


class NoModelError(ValueError):
    """There is no model of this study; the message says why."""


class Prediction(NamedTuple):
    """Mean and standard deviation of the function, n each, in the units of the objective."""

    mean: Tensor
    std: Tensor


@final
@dataclass(frozen=True)
class Landscape:
    """A fitted model with the space and the data that it was fitted to.

    Attributes:
        data: larger is better; `sign` turns that into the units of the objective.
        memory: the fits to the first trials, which the last one began with.
        left_out: parameters that have changed their kind or their choices.
    """

    space: Space
    data: Data
    sign: float
    model: GaussianModel
    memory: Memory
    left_out: tuple[str, ...]

    @property
    def surrogate(self) -> str:
        """The name of the model."""
        return "gp"

    @cached_property
    def U(self) -> Tensor:
        """The coordinates of the trials."""
        return self.space.domain.reduce(self.data.X)

    @cached_property
    def active(self) -> Tensor:
        """How many trials have each parameter, v."""
        return (~self.U.isnan()).sum(0)

    @cached_property
    def best_row(self) -> int:
        """The row of the best value that keeps the constraints."""
        return int(self.data.top(1)[0])

    @cached_property
    def recommended(self) -> Recommended:
        """The trial with the best mean, among those that keep the constraints."""
        kept = torch.where(self.data.is_feasible)[0]
        kept = kept if len(kept) else torch.arange(self.data.n)
        assert self.data.numbers is not None
        rows = in_order(self.data.X[kept], self.data.Y[kept], self.data.numbers[kept])
        found = recommended(self.model, rows)
        repeats = [int(kept[i]) for i in found.repeats]
        return found._replace(row=int(kept[found.row]), repeats=repeats)

    def number(self, row: int) -> int:
        """Return the number of the trial of a row."""
        assert self.data.numbers is not None
        return int(self.data.numbers[row])

    def fit(self, n: int) -> GaussianModel:
        """Return the same kind of model of the first n observations."""
        return _fitted(self.data.first(n), self.space, self.memory)

    def without(self, k: int, of: int) -> GaussianModel:
        """Return the same kind of model without the rows k, k + of, k + 2 of, ... of its data."""
        data = chosen(self.data)
        rows = torch.where(torch.arange(data.n) % of != k)[0]
        assert data.numbers is not None
        kept = in_order(data.X[rows], data.Y[rows], data.numbers[rows])
        return GaussianProcess().fit_from(kept, generator(SEED, 0), self.model)

    def complete(self, U: Tensor) -> Tensor:
        """Return U with a value for what does not exist there: the best trial's that has it.

        So that a condition may change: what it lets exist then has a sensible value.
        """
        U, order = U.clone(), self.data.top(self.data.n)
        for i, variable in enumerate(self.space.domain.variables):
            if variable.optional:
                continue
            known = self.U[order, i]
            known = known[~known.isnan()]
            fill = known[0] if len(known) else torch.tensor(0.5 if variable.count == 0 else 0.0)
            U[:, i] = torch.where(U[:, i].isnan(), fill.to(U.dtype), U[:, i])
        return U

    def anchor(self, i: int) -> int:
        """Return the row through which a slice of parameter i goes: the recommended that has it.

        Where the recommended does not have it, that is the best value of a trial that does.
        """
        if not self.U[self.recommended.row, i].isnan():
            return self.recommended.row
        order = self.data.top(self.data.n)
        has = order[~self.U[order, i].isnan()]
        return int(has[0]) if len(has) else self.recommended.row

    def predict(self, U: Tensor) -> Prediction:
        """Return mean and std of the function at coordinates, conditions applied."""
        X = self.space.domain.expand(self.space.domain.enforce(U))
        with torch.no_grad():
            parts = [self.model.moments(rows) for rows in X.split(ROWS)]
        mean, variance = (torch.cat(moment) for moment in zip(*parts, strict=True))
        return Prediction(self.sign * mean, variance.sqrt())

    def grid(self, i: int, most: int) -> Tensor:
        """Return coordinates of parameter i from end to end, at most so many, k."""
        count = self.space.domain.variables[i].count
        if count == 0:
            return torch.linspace(0, 1, most, dtype=torch.float64)
        return torch.linspace(0, count - 1, min(count, most), dtype=torch.float64).round()

    def cells(self, i: int, most: int) -> Tensor:
        """Return coordinates of parameter i in the middle of equal parts of its axis, k.

        They are the levels of a category; of other levels the nearest are taken.
        """
        variable = self.space.domain.variables[i]
        if variable.kind == "category":
            return torch.arange(variable.count, dtype=torch.float64)
        places = (torch.arange(most, dtype=torch.float64) + 0.5) / most
        return variable.level(places) if variable.count else places


def landscape(record: Record, output: int = 0) -> Landscape:
    """Fit a Gaussian process to one objective, of many trials to some that are `chosen`.

    Raises:
        NoModelError: there are too few values, nothing varies, or no model could be fitted.
    """
    done = record.done
    if len(done) < LEAST:
        raise NoModelError(f"a model needs {LEAST} values at least; there are {len(done)}.")
    counting = [t for t in record.trials if t.params]
    found = union(counting)
    names = {name for trial in counting for name in trial.params}
    varying = {name: d for name, d in found.items() if not d.single()}
    if not varying:
        raise NoModelError("no parameter varies, so there is nothing to model.")
    try:
        space = conditional_space(varying, counting)
        sign, memory = record.signs[output], Memory()
        data = _data(record, space).output(output)
        model = _fitted(data, space, memory)
    except (FitError, ValueError) as error:
        raise NoModelError(f"no model could be fitted: {error}") from error
    left_out = tuple(sorted(names - found.keys()))
    return Landscape(space, data, sign, model, memory, left_out)


def _data(record: Record, space: Space) -> Data:
    from optuna.trial import TrialState, create_trial

    nobody = create_trial(state=TrialState.WAITING)
    constraints = frozenset(name for t in record.trials if is_done(t) for name in t.constraints)
    return observed(record.trials, nobody, space, record.signs, constraints)


def chosen(data: Data) -> Data:
    """Return all observations if they are few, else some around the best and some of all times.

    Those around the best are chosen by their points, not by their values: the best values of many
    would be that of the best observed values, and a model of them too hopeful.
    """
    if data.n <= FEW:
        return data
    distances = torch.cdist(data.X, data.X[data.top(LEADERS)]).amin(-1)
    near = distances.argsort(stable=True)[:NEAR]
    even = torch.linspace(0, data.n - 1, FEW - NEAR, dtype=torch.float64).long()
    rows = torch.cat([near, even]).unique()
    assert data.numbers is not None
    return in_order(data.X[rows], data.Y[rows], data.numbers[rows])


def _fitted(data: Data, space: Space, memory: Memory) -> GaussianModel:
    recipe = GaussianProcess()
    with one_thread():
        if data.n > FEW:
            return recipe.fit(chosen(data), generator(SEED, 0))
        step = Step.of(data, space.domain, seed=SEED, number=data.n, memory=memory)
        model = step.fit(recipe, data)
    assert isinstance(model, GaussianModel)
    return model


def places(landscape: Landscape, i: int, coordinates: Sequence[float]) -> list[float]:
    """Return where coordinates of a parameter are on its axis: its values, or numbers of choices.

    Coordinates that are NaN, where the parameter does not exist, are left out.
    """
    parameter = landscape.space.parameters[landscape.space.names[i]]
    known = [u for u in coordinates if not math.isnan(u)]
    if isinstance(parameter, Categorical):
        return known
    return [float(parameter.value(u)) for u in known]
