"""Everything that can be asked for points: our own methods, and peers behind the same two calls.

A method of ours is written as it is typed: "gp", "brvfl4/ei" (surrogate/criterion) or
"gp/lcb/random" (surrogate/criterion/maximizer).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol, final

import optuna
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from optuna.samplers import BaseSampler
from optuna.trial import TrialState, create_trial

from neuralbo.catalog import make_policy
from neuralbo.errors import unknown_name
from neuralbo.optimizer import Optimizer
from neuralbo.space import Space
from neuralbo.study import ask_params


class Asker(Protocol):
    """What can be asked for parameters and told what came out."""

    def ask(self) -> Mapping[str, Any]:
        """Return the next parameters to try."""
        ...

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Record a value, None for a failure; parameters never asked for are start points."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Method:
    """A way to make askers.

    Attributes:
        make: from the space, the seed and the number of trials.
        needs: the package that must be installed.
        is_pure: whether an asker that was told the same answers the same, however it got there.
    """

    name: str
    make: Callable[[Space, int, int], Asker]
    needs: str | None = None
    is_pure: bool = False

    @property
    def missing(self) -> str | None:
        """Why the method cannot run here, or None."""
        if self.needs is None or find_spec(self.needs) is not None:
            return None
        return f"{self.name} needs the package {self.needs}: pip install 'neuralbo[peers]'"


@final
class OptunaAsker:
    """An Optuna sampler."""

    def __init__(self, sampler: BaseSampler, space: Space) -> None:
        self.study, self.space = optuna.create_study(sampler=sampler), space
        self.asked: dict[int, optuna.Trial] = {}

    def ask(self) -> Mapping[str, Any]:
        """Return the parameters of a new trial."""
        trial = self.study.ask()
        params = ask_params(trial, self.space)
        self.asked[id(params)] = trial
        self.params = params  # keeps its id taken until it is told
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Finish the trial, or add one that was not asked for."""
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        trial = self.asked.pop(id(params), None)
        if trial is not None:
            self.study.tell(trial, value, state=state)
            return
        distributions = {name: self.space.distributions[name] for name in params}
        self.study.add_trial(
            create_trial(
                state=state, value=value, params=dict(params), distributions=distributions
            )
        )


@final
class BoTorchAsker:
    """BoTorch's default Gaussian process with log expected improvement, as its tutorial has it."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.X: list[torch.Tensor] = []
        self.Y: list[float] = []

    def ask(self) -> Mapping[str, Any]:
        """Fit, maximize, and move to the nearest legal point."""
        X = torch.stack(self.X)
        Y = -torch.tensor(self.Y, dtype=torch.float64)[:, None]
        d = self.space.domain.d
        with manual_seed(self.seed + len(self.Y)):
            model = SingleTaskGP(X, Y, outcome_transform=Standardize(m=1))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            bounds = torch.stack([torch.zeros(d), torch.ones(d)]).double()
            point, _ = optimize_acqf(
                LogExpectedImprovement(model, best_f=Y.max()), bounds, q=1, num_restarts=10,
                raw_samples=512,
            )  # fmt: skip
        return self.space.decode(point)[0]

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value; failures are left out, since the model has no place for them."""
        if value is not None:
            self.X.append(self.space.encode([params])[0])
            self.Y.append(value)


def _optuna(make: Callable[[int], BaseSampler]) -> Callable[[Space, int, int], Asker]:
    return lambda space, seed, trials: OptunaAsker(make(seed), space)


_SAMPLERS = optuna.samplers
PEERS = {
    method.name: method
    for method in (
        Method("optuna-random", _optuna(lambda seed: _SAMPLERS.RandomSampler(seed=seed))),
        Method("tpe", _optuna(lambda seed: _SAMPLERS.TPESampler(seed=seed))),
        Method("gpsampler", _optuna(lambda seed: _SAMPLERS.GPSampler(seed=seed))),
        Method("cmaes", _optuna(lambda seed: _SAMPLERS.CmaEsSampler(seed=seed)), needs="cmaes"),
        Method("botorch", lambda space, seed, trials: BoTorchAsker(space, seed)),
    )
}


def find_method(name: str) -> Method:
    """Return the peer of that name, or the method of ours that it spells."""
    if name in PEERS:
        return PEERS[name]
    parts = name.split("/")
    if len(parts) > 3:
        raise unknown_name("method", name, PEERS)
    policy = make_policy(*parts)

    def make(space: Space, seed: int, trials: int) -> Asker:
        return Optimizer(space, surrogate=policy, seed=seed, n_startup_trials=0, n_trials=trials)

    return Method(name, make, is_pure=True)
