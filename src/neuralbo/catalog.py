"""The names that people type, and what they stand for: tables, and the policy made from them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from neuralbo.arguments import shown
from neuralbo.criteria import (
    ClassProbability,
    Criterion,
    ExpectedImprovement,
    HypervolumeImprovement,
    LogEmpiricalImprovement,
    LogExpectedImprovement,
    MeanWidth,
    MixtureImprovement,
    ProbabilityOfImprovement,
    Thompson,
    UpperBound,
    UpperQuantile,
)
from neuralbo.criteria.criterion_presets import HOEGGER
from neuralbo.criteria.criterion_presets import PRESETS as MORE_CRITERIA
from neuralbo.errors import unknown_name
from neuralbo.maximizers import (
    DifferentialEvolution,
    Direct,
    GridPoints,
    Maximizer,
    Mixed,
    MixedInteger,
    Multistart,
    RandomCandidates,
    RandomPoints,
)
from neuralbo.policies import (
    Auto,
    ConditionalMap,
    DynamicC,
    Policy,
    SeveralObjectives,
    Standard,
    default_policy,
    policy_presets,
)
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.surrogates import (
    Empirical,
    NeuralLinear,
    RandomForest,
    SampledGaussianProcess,
    Surrogate,
)
from neuralbo.surrogates.classifiers.classifier_presets import PRESETS as CLASSIFIERS
from neuralbo.surrogates.gp.gp_presets import PRESETS as PROCESSES
from neuralbo.surrogates.mixtures.mixture_presets import PRESETS as MIXTURES
from neuralbo.surrogates.random_features.rvfl_presets import PRESETS as RVFL
from neuralbo.surrogates.sampled.ivbnn import PRESETS as IMPLICIT
from neuralbo.surrogates.sampled.sampled_presets import PRESETS as SAMPLED
from neuralbo.surrogates.trained.laplace_network import PRESETS as LAPLACE
from neuralbo.surrogates.trained.trained_presets import PRESETS as TRAINED
from neuralbo.surrogates.trained.trained_variants import VARIANTS
from neuralbo.surrogates.wrappers.wrapper_presets import PRESETS as WRAPPED

AROUND, DYNAMIC_C = policy_presets.AROUND, policy_presets.DYNAMIC_C
POLICIES: dict[str, Policy] = policy_presets.PRESETS

SURROGATES: dict[str, Surrogate] = {
    **PROCESSES,
    "gp_mcmc": SampledGaussianProcess(),
    **RVFL,
    "neural_linear": NeuralLinear(),
    **LAPLACE,
    **SAMPLED,
    **IMPLICIT,
    **TRAINED,
    **VARIANTS,
    **MIXTURES,
    **CLASSIFIERS,
    **WRAPPED,
    "random_forest": RandomForest(),
    "empirical": Empirical(),
}

CRITERIA: dict[str, Criterion] = {
    "log_ei": LogExpectedImprovement(),
    "ei": ExpectedImprovement(),
    "empirical_ei": LogEmpiricalImprovement(),
    "mixture_ei": MixtureImprovement(),
    "lcb": UpperBound(),
    "upper_bound": UpperBound(beta=1.0),
    "upper_quantile": UpperQuantile(),
    "pi": ProbabilityOfImprovement(),
    "thompson": Thompson(),
    **MORE_CRITERIA,
    "mean_width": MeanWidth(),
    "hypervolume": HypervolumeImprovement(),
    "class_probability": ClassProbability(),
    "class_probability_plain": ClassProbability(spacing=0.0),
    **HOEGGER,
}

# The criterion of Aryan (2020), Sec. 5.3, around any surrogate that has moments, is a policy like
# `DYNAMIC_C`.
CONDITIONAL_MAP = "conditional_map"

MAXIMIZERS: dict[str, Maximizer] = {
    "mixed": Mixed(),
    "multistart": Multistart(),
    "random": RandomPoints(),
    "random_candidates": RandomCandidates(),
    # Aryan (2020), Sec. 3.5: 150 random starts of a quasi-Newton search; here points of a Sobol
    # sequence
    "lbfgs150": Mixed(Multistart(candidates=150, local=0, restarts=150, rounds=100)),
    "differential_evolution": DifferentialEvolution(),
    "grid": GridPoints(),
    "direct": Direct(),
    "direct_5000": Direct(evaluations=5_000),
    "mixed_integer": MixedInteger(),
}

# What a message shows of each kind: names, a recipe as one writes it, and where all names are.
_SHOWN = {
    "surrogate": (
        ("auto", "gp", "brvfl4", "neural_linear", "laplace", "deep_ensemble", "bnn_nuts_fast",
         "kde", "bore", "random_forest", "stacked", "trust_region", "random", "sobol"),
        "GaussianProcess()",
        "`from neuralbo.catalog import SURROGATES, POLICIES` and the pages of docs/methods",
    ),
    "criterion": (
        ("log_ei", "ei", "lcb", "pi", "thompson", "max_value_entropy", "knowledge_gradient",
         "mean_width", "dynamic_c", "hypervolume"),
        "LogExpectedImprovement()",
        "`from neuralbo.catalog import CRITERIA, DYNAMIC_C` and docs/methods/criteria.md",
    ),
    "maximizer": (("mixed", "multistart"), "Multistart()", ""),
}  # fmt: skip

# what may stand for a surrogate within something else; of the default it is that of all trials
PARTS = SURROGATES | {"auto": policy_presets.AUTO.surrogate}

SEVERAL = 2  # objectives, at least


def make_policy(
    surrogate: "str | Surrogate | Policy | Sequence[str | Surrogate]" = "auto",
    criterion: str | Criterion | None = None,
    maximizer: str | Maximizer | None = None,
) -> Policy:
    """Build the policy that names or recipes stand for; a name and its recipe give the same.

    A criterion or a maximizer that is named takes the place of the usual one. A list of surrogates
    has one for each of several objectives. "trust_region@gp" is the policy before the @ around
    the surrogate behind it.

    Raises:
        TypeError: if something is neither a name nor a recipe.
        ValueError: if nobody knows a name; the message lists the near ones.
    """
    if isinstance(surrogate, list | tuple):
        return _for_each(surrogate, criterion, maximizer)
    if isinstance(surrogate, str) and "@" in surrogate:
        around, _, inner = surrogate.partition("@")
        if around not in AROUND:
            raise unknown_name("policy around a surrogate", around, AROUND)
        return AROUND[around](standard(inner, criterion, maximizer))
    named = _look_up("surrogate", surrogate, POLICIES | SURROGATES, Policy | Surrogate)
    if isinstance(criterion, str) and (criterion in DYNAMIC_C or criterion == CONDITIONAL_MAP):
        recipe = named.surrogate if isinstance(named, Auto) else named
        return _by_criterion(recipe, criterion, maximizer)
    if isinstance(named, Auto):
        return named.using(*_parts(criterion, maximizer))
    if isinstance(named, Surrogate):
        return default_policy(named, *_parts(criterion, maximizer))
    if criterion is not None or maximizer is not None:
        raise ValueError(f"{type(named).__name__} is a whole policy: no criterion, no maximizer.")
    policy: Policy = named
    return policy


def _by_criterion(recipe: Surrogate, name: str, maximizer: str | Maximizer | None) -> Policy:
    """Return the policy that is named like a criterion, around a surrogate."""
    if name == CONDITIONAL_MAP:
        return ConditionalMap(standard(recipe, None, maximizer))
    width, decay = DYNAMIC_C[name]
    return DynamicC(standard(recipe, width, maximizer), decay)


def standard(
    surrogate: str | Surrogate,
    criterion: str | Criterion | None = None,
    maximizer: str | Maximizer | None = None,
) -> Standard:
    """Return the plain step over the whole space, whatever is usual for the surrogate."""
    found = _look_up("surrogate", surrogate, PARTS, Surrogate)
    named, search = _parts(criterion, maximizer)
    return Standard(found, named, search or Mixed())


def _parts(criterion: Any, maximizer: Any) -> tuple[Criterion | None, Maximizer | None]:
    if isinstance(criterion, str) and criterion not in CRITERIA:
        raise unknown("criterion", criterion, [*CRITERIA, *DYNAMIC_C, CONDITIONAL_MAP])
    return (
        None if criterion is None else _look_up("criterion", criterion, CRITERIA, Criterion),
        None if maximizer is None else _look_up("maximizer", maximizer, MAXIMIZERS, Maximizer),
    )


def _look_up(kind: str, name: Any, table: dict[str, Any], wanted: Any) -> Any:
    if isinstance(name, str):
        if name not in table:
            raise unknown(kind, name, table)
        return table[name]
    is_other = wanted is Maximizer and isinstance(name, Criterion)  # both can be called
    if isinstance(name, type) or is_other or not isinstance(name, wanted):
        (usual, *_), recipe, _ = _SHOWN[kind]
        is_ours = isinstance(name, type) and name.__module__.startswith("neuralbo.")
        call = f" Write {name.__name__}() with its brackets." if is_ours else ""
        raise TypeError(
            f"{kind} must be a name such as {usual!r} or a recipe such as {recipe}; "
            f"got {shown(name)}.{call}"
        )
    return name


def unknown(kind: str, name: str, table: Iterable[str]) -> ValueError:
    """Return the error for a surrogate, criterion or maximizer that nobody knows."""
    usual, _, see = _SHOWN[kind]
    return unknown_name(kind, name, table, usual=usual, see=see)


def _for_each(
    surrogates: Sequence[str | Surrogate],
    criterion: str | Criterion | None,
    maximizer: str | Maximizer | None,
) -> Policy:
    """Build the policy of several objectives with a surrogate for each."""
    if len(surrogates) < SEVERAL:
        raise ValueError(
            "a list of surrogates has one for each of several objectives, two at least; for one "
            f"objective write surrogate='gp'. Got {surrogates!r}."
        )
    found = for_objectives(make_policy("auto", criterion, maximizer), len(surrogates))
    assert isinstance(found, SeveralObjectives)
    named = tuple(_look_up("surrogate", s, PARTS, Surrogate) for s in surrogates)
    return replace(found, surrogates=named)
