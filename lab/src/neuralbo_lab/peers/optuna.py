"""Optuna's samplers."""

from collections.abc import Mapping
from typing import Any, final

import optuna
from neuralbo.interfaces.minimize import ask_params
from neuralbo.space import Space
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial


@final
class OptunaOptimizer:
    """A sampler in a study of its own, in memory.

    Attributes:
        alone: how often a parameter was drawn on its own that a finished trial had had.
    """

    def __init__(self, sampler: BaseSampler, space: Space) -> None:
        self.study, self.space = optuna.create_study(sampler=sampler), space
        self.alone, self._draw = 0, sampler.sample_independent
        sampler.sample_independent = self._counted  # type: ignore[assignment, method-assign]
        self.suggested: dict[int, tuple[Mapping[str, Any], Trial]] = {}  # the params keep their id

    def _counted(
        self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> Any:
        finished = (t for t in study.get_trials(deepcopy=False) if t.state.is_finished())
        self.alone += any(name in t.params for t in finished)
        return self._draw(study, trial, name, distribution)

    def ask(self) -> Mapping[str, Any]:
        """Return the parameters of a new trial."""
        trial = self.study.ask()
        params = ask_params(trial, self.space)
        self.suggested[id(params)] = params, trial
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Finish the trial, or add one that was not asked for."""
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        if id(params) in self.suggested:
            _, trial = self.suggested.pop(id(params))
            self.study.tell(trial, value, state=state)
            return
        distributions = {name: self.space.distributions[name] for name in params}
        self.study.add_trial(
            create_trial(
                state=state, value=value, params=dict(params), distributions=distributions
            )
        )
