"""maximize(): the largest value of a function."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from neuralbo.criteria import Criterion
from neuralbo.interfaces.costs import CostOf
from neuralbo.interfaces.minimize import Callback, Result, minimize
from neuralbo.interfaces.optuna.storages import Storage
from neuralbo.maximizers import Maximizer
from neuralbo.policies import Policy
from neuralbo.space import Space
from neuralbo.space.constraints.statements import Constraint
from neuralbo.surrogates import Surrogate


def maximize(  # noqa: PLR0913
    f: Callable[[dict[str, Any]], Any],
    space: Mapping[str, Any] | Space,
    n_trials: int | None = None,
    *,
    timeout: float | None = None,
    n_jobs: int = 1,
    storage: Storage | None = None,
    study_name: str = "neuralbo",
    surrogate: str | Surrogate | Policy | Sequence[str | Surrogate] = "auto",
    criterion: str | Criterion | None = None,
    maximizer: str | Maximizer | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    seed: int | None = None,
    max_suggest_seconds: float | None = None,
    reference_point: Sequence[float] | None = None,
    guesses: Sequence[Mapping[str, Any]] = (),
    enqueue: Sequence[Mapping[str, Any]] = (),
    fixed: Mapping[str, Any] | None = None,
    cost: str | CostOf | None = None,
    budget_seconds: float | None = None,
    on_change: Literal["error", "extend"] = "error",
    constraints: Sequence[Constraint] = (),
    n_outcome_constraints: int = 0,
) -> Result:
    """Find the parameters with the largest value of f; all arguments are those of `minimize`."""
    return minimize(
        f,
        space,
        n_trials,
        timeout=timeout,
        n_jobs=n_jobs,
        storage=storage,
        study_name=study_name,
        surrogate=surrogate,
        criterion=criterion,
        maximizer=maximizer,
        callbacks=callbacks,
        progress=progress,
        seed=seed,
        max_suggest_seconds=max_suggest_seconds,
        reference_point=reference_point,
        guesses=guesses,
        enqueue=enqueue,
        fixed=fixed,
        cost=cost,
        budget_seconds=budget_seconds,
        on_change=on_change,
        constraints=constraints,
        n_outcome_constraints=n_outcome_constraints,
        direction="maximize",
    )
