"""Everything that can be asked for points: our own methods, and peers behind the same two calls.

A method of ours is written as it is typed: "gp", which is what a user gets, or "brvfl4/ei"
(surrogate/criterion) or "gp/lcb/random" (surrogate/criterion/maximizer), which are the plain step
over the whole space, as the publications have it; "trust_region@gp" is a policy around a
surrogate. The package of a peer is imported when one of its optimizers is made, not before.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol, final

from neuralbo.catalog import (
    CONDITIONAL_MAP,
    DYNAMIC_C,
    POLICIES,
    SURROGATES,
    make_policy,
    standard,
)
from neuralbo.errors import unknown_name
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from neuralbo.policies import Policy
from neuralbo.space import Space
from optuna import samplers

from neuralbo_lab.core.ablations import ABLATIONS
from neuralbo_lab.peers.environments import Environment
from neuralbo_lab.problems import find


class AskTellOptimizer(Protocol):
    """What can be asked for parameters and told what came out."""

    def ask(self) -> Mapping[str, Any]:
        """Return the next parameters to try."""
        ...

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Record a value, None for a failure; parameters never asked for are initial points."""
        ...


Make = Callable[[Space, int, int], AskTellOptimizer]


@final
@dataclass(frozen=True, slots=True)
class Method:
    """A way to make optimizers.

    Attributes:
        make: from the space, the seed and the number of trials.
        needs: the package that must be installed, with the extra that brings it.
        environment: the one of its own in which the method lives, if it has one.
        is_pure: whether an optimizer that was told the same answers the same, however it got
            there.
        description: what it is, with which settings, in one line.
    """

    name: str
    make: Make
    needs: str | None = None
    extra: str = "peers"
    environment: Environment | None = None
    is_pure: bool = False
    description: str = ""

    @property
    def missing(self) -> str | None:
        """Why the method cannot run here, or None."""
        if self.environment is not None and self.environment.missing is not None:
            return f"{self.name} lives elsewhere, and {self.environment.missing}"
        if self.needs is None or find_spec(self.needs) is not None:
            return None
        return (
            f"{self.name} needs the package {self.needs}: pip install 'neuralbo-lab[{self.extra}]'"
        )


def _optuna(sampler: Callable[[int], samplers.BaseSampler]) -> Make:
    def make(space: Space, seed: int, trials: int) -> AskTellOptimizer:
        from neuralbo_lab.peers.optuna import OptunaOptimizer

        return OptunaOptimizer(sampler(seed), space)

    return make


def _tpe_group(seed: int) -> samplers.BaseSampler:
    return samplers.TPESampler(seed=seed, multivariate=True, group=True)


def _botorch(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.botorch import BoTorchOptimizer

    return BoTorchOptimizer(space, seed)


def _turbo(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.turbo import TurboOptimizer

    return TurboOptimizer(space, seed)


def _smac(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from smac import HyperparameterOptimizationFacade

    from neuralbo_lab.peers.smac import SmacOptimizer

    return SmacOptimizer(HyperparameterOptimizationFacade, space, seed, trials)


def _smac_bb(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from smac import BlackBoxFacade

    from neuralbo_lab.peers.smac import SmacOptimizer

    return SmacOptimizer(BlackBoxFacade, space, seed, trials)


def _skopt_gp(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.skopt import SkoptOptimizer

    return SkoptOptimizer(space, "GP", seed)


def _skopt_forest(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.skopt import SkoptOptimizer

    return SkoptOptimizer(space, "ET", seed)


def _pycma(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.pycma import CmaOptimizer

    return CmaOptimizer(space, seed)


def _ax(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.ax import AxOptimizer

    return AxOptimizer(space, seed)


def _saasbo(space: Space, seed: int, trials: int) -> AskTellOptimizer:
    from neuralbo_lab.peers.saasbo import SaasboOptimizer

    return SaasboOptimizer(space, seed)


def _elsewhere(name: str, description: str) -> Method:
    """Return a peer in an environment of its own."""
    environment = Environment(name)

    def make(space: Space, seed: int, trials: int) -> AskTellOptimizer:
        from neuralbo_lab.peers.piped import SERVERS, PipedOptimizer

        peer = SERVERS / f"{name}_peer.py"
        return PipedOptimizer(environment.python, peer, space, seed=seed, trials=trials)

    return Method(name, make, environment=environment, description=description)


PEERS = {
    method.name: method
    for method in (
        Method(
            "optuna-random",
            _optuna(lambda seed: samplers.RandomSampler(seed=seed)),
            description="Optuna's RandomSampler",
        ),
        Method(
            "tpe",
            _optuna(lambda seed: samplers.TPESampler(seed=seed)),
            description="Optuna's TPESampler, as it comes: multivariate, random below 10 values",
        ),
        Method(
            "tpe-group",
            _optuna(_tpe_group),
            description="Optuna's TPESampler, multivariate and with groups of parameters that "
            "exist together",
        ),
        Method(
            "neuralsampler",
            _optuna(lambda seed: NeuralSampler(seed=seed, n_startup_trials=0)),
            description="ours in Optuna, which finds out itself which parameters exist when",
        ),
        Method(
            "gpsampler",
            _optuna(lambda seed: samplers.GPSampler(seed=seed)),
            description="Optuna's GPSampler, as it comes: Matern 5/2, log expected improvement, "
            "random below 10 values",
        ),
        Method(
            "cmaes",
            _optuna(lambda seed: samplers.CmaEsSampler(seed=seed)),
            needs="cmaes",
            description="Optuna's CmaEsSampler, as it comes: learns nothing from initial points, "
            "draws at random in one dimension and for choices",
        ),
        Method(
            "botorch",
            _botorch,
            description="BoTorch's SingleTaskGP and LogExpectedImprovement, 10 restarts; "
            "a failure has the worst value",
        ),
        Method(
            "turbo",
            _turbo,
            description="a trust region around BoTorch's SingleTaskGP with Thompson sampling, as "
            "in its tutorial, one point at a time; a failure has the worst value",
        ),
        Method(
            "smac",
            _smac,
            needs="smac",
            description="SMAC3's HyperparameterOptimizationFacade, as it comes: random forest, "
            "fitted at every 8th suggestion, a fifth at random; a failure has the worst value",
        ),
        Method(
            "smac-bb",
            _smac_bb,
            needs="smac",
            description="SMAC3's BlackBoxFacade, as it comes: Gaussian process, expected "
            "improvement, 8% at random; a failure has the worst value",
        ),
        Method(
            "skopt-gp",
            _skopt_gp,
            needs="skopt",
            description="scikit-optimize as in gp_minimize: Gaussian process, hedges EI, LCB "
            "and PI; no conditional spaces; a failure has the worst value",
        ),
        Method(
            "skopt-forest",
            _skopt_forest,
            needs="skopt",
            description="scikit-optimize as in forest_minimize: extra trees, expected "
            "improvement; no conditional spaces; a failure has the worst value",
        ),
        Method(
            "pycma",
            _pycma,
            needs="cma",
            description="CMA-ES of the package pycma, from the best initial point, with restarts; "
            "real parameters only; a failure has the worst value",
        ),
        Method(
            "ax",
            _ax,
            needs="ax",
            description="Ax's client with the strategy it chooses: BoTorch's Gaussian process and "
            "log noisy expected improvement; a failure has the worst value",
        ),
        Method(
            "saasbo",
            _saasbo,
            needs="numpyro",
            extra="samplers",
            description="BoTorch's SaasFullyBayesianSingleTaskGP and qLogExpectedImprovement, as "
            "in its tutorial; a failure has the worst value",
        ),
        _elsewhere(
            "hebo",
            "HEBO as it comes: input and output warping, a Pareto front of three criteria; "
            "a failure has the worst value",
        ),
        _elsewhere(
            "vizier",
            "Vizier's default, a Gaussian process with UCB and pure exploration; "
            "a failure has the worst value",
        ),
        _elsewhere(
            "baybe",
            "BayBE's campaign as it comes: a Gaussian process; a failure has the worst value",
        ),
        _elsewhere(
            "nevergrad",
            "Nevergrad's NGOpt, which chooses by the space and the number of trials; "
            "a failure has the worst value",
        ),
    )
}


def find_method(name: str) -> Method:
    """Return the peer of that name, or the method of ours that it spells.

    Raises:
        ValueError: if nobody knows the name; the message lists the near ones.
    """
    if name in PEERS:
        return PEERS[name]
    if name in ABLATIONS:
        return _ours(name, ABLATIONS[name], f"ours: {name}, see neuralbo_lab.core.ablations")
    parts = name.split("/")
    if parts[0] in PEERS:
        raise ValueError(f"{parts[0]!r} is a whole method: no criterion, no maximizer.")
    known = {**SURROGATES, **POLICIES}
    if parts[0].split("@")[-1] not in known:
        raise unknown_name("method", parts[0], PEERS | ABLATIONS | known)
    if len(parts) > 3:
        raise ValueError(
            f"a method is written surrogate, surrogate/criterion or "
            f"surrogate/criterion/maximizer, got {name!r}."
        )
    is_plain = len(parts) > 1 and parts[0] in SURROGATES and _is_criterion(parts[1])
    policy = standard(*parts) if is_plain else make_policy(*parts)
    return _ours(name, policy, _spell(*parts))


def _is_criterion(name: str) -> bool:
    """Return whether a name is of a criterion, and not of a policy that is named like one."""
    return name not in DYNAMIC_C and name != CONDITIONAL_MAP


def _ours(name: str, policy: Policy, description: str) -> Method:
    def make(space: Space, seed: int, trials: int) -> AskTellOptimizer:
        return Optimizer(space, surrogate=policy, seed=seed, n_startup_trials=0, n_trials=trials)

    return Method(name, make, is_pure=True, description=description)


def _spell(surrogate: str, criterion: str = "its own", maximizer: str = "mixed") -> str:
    if surrogate in POLICIES:
        return f"ours: the policy {surrogate}"
    return f"ours: surrogate {surrogate}, criterion {criterion}, maximizer {maximizer}"


def what_is_missing(problems: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Return which methods cannot be run here, each with what is missing.

    Raises:
        ImportError: A problem cannot be had; the message says what to install.
    """
    for problem in problems:
        find(problem)
    missing = {name: find_method(name).missing for name in names}
    return {name: why for name, why in missing.items() if why}
