"""The names that people type, and what they stand for."""

from collections.abc import Callable, Iterable, Sequence
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
from neuralbo.criteria.criterion_presets import PRESETS as MORE_CRITERIA
from neuralbo.errors import unknown_name
from neuralbo.inference.laplace import Laplace
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
    Automatic,
    Basins,
    ConditionalMap,
    Decay,
    DynamicC,
    Exploring,
    GradientDescent,
    Grid,
    LatinHypercube,
    OneStage,
    Policy,
    RadialBasis,
    RandomSearch,
    SeveralObjectives,
    Sobol,
    Standard,
    TrustRegion,
    Way,
)
from neuralbo.policies.policy_presets import AROUND, HIGH_DIMENSION
from neuralbo.policies.policy_presets import PRESETS as MORE_POLICIES
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.surrogates import (
    Auto,
    BayesianRVFL,
    Empirical,
    EnsembleRVFL,
    ExtremeLearning,
    GaussianProcess,
    LaplaceNetwork,
    NeuralLinear,
    RandomForest,
    SampledGaussianProcess,
    Surrogate,
)
from neuralbo.surrogates.classifiers.classifier_presets import PRESETS as CLASSIFIERS
from neuralbo.surrogates.gp.gaussian_process import (
    GP_CORRELATION,
    GP_GPO,
    GP_GPYOPT,
    GP_KRUSE,
    GP_PURE,
)
from neuralbo.surrogates.mixtures.mixture_presets import PRESETS as MIXTURES
from neuralbo.surrogates.sampled.ivbnn import PRESETS as IMPLICIT
from neuralbo.surrogates.sampled.sampled_presets import PRESETS
from neuralbo.surrogates.trained.trained_presets import PRESETS as TRAINED
from neuralbo.surrogates.trained.trained_variants import VARIANTS
from neuralbo.surrogates.wrappers.stacked import Member, Stacked
from neuralbo.surrogates.wrappers.wrapper_presets import PRESETS as WRAPPED

# Table 4.1 of 000, each as we would use it, as the document has it with a learnt prior ("_aryan")
# and as it prints it with a fixed one ("_fixed").
_TABLE = {1: ("tanh", False), 2: ("tanh", True), 3: ("relu", False), 4: ("relu", True)}
_ARYAN: dict[str, Any] = {"clip": None, "initialization": "independent"}
_ALONE: dict[str, Any] = _ARYAN | {"squares": 0.0}
RVFL: dict[str, Surrogate] = {}
for _i, (_activation, _skip) in _TABLE.items():
    _is: dict[str, Any] = {"activation": _activation, "skip": _skip}
    _shared = _is | _ARYAN | {"shares_precision": True}
    RVFL[f"brvfl{_i}"] = BayesianRVFL(**_is)
    RVFL[f"brvfl{_i}_aryan"] = BayesianRVFL(**_is, **_ALONE)
    RVFL[f"brvfl{_i}_fixed"] = BayesianRVFL(**_is, **_ALONE, prior_precision="printed")
    RVFL[f"ervfl{_i}"] = EnsembleRVFL(**_is)
    RVFL[f"ervfl{_i}_aryan"] = EnsembleRVFL(**_shared)
    RVFL[f"ervfl{_i}_fixed"] = EnsembleRVFL(**_shared, prior_precision="printed")

SURROGATES: dict[str, Surrogate] = {
    "auto": Auto(),
    "gp": GaussianProcess(),
    "gp_gpo": GP_GPO,
    "gp_kruse": GP_KRUSE,
    "gp_gpyopt": GP_GPYOPT,
    "gp_pure": GP_PURE,
    "gp_mcmc": SampledGaussianProcess(),
    **RVFL,
    "elm": ExtremeLearning(),
    "neural_linear": NeuralLinear(),
    "laplace": LaplaceNetwork(),
    "laplace_last_layer": LaplaceNetwork(laplace=Laplace(last_layer=True)),
    **PRESETS,
    **IMPLICIT,
    **TRAINED,
    **VARIANTS,
    **MIXTURES,
    **CLASSIFIERS,
    **WRAPPED,
    "random_forest": RandomForest(),
    "empirical": Empirical(),
}

# Fast ones of different kinds; the Gaussian process until its cost forbids it.
POOL = (
    Member("gp", SURROGATES["gp"], 2.0, most=300),
    Member("brvfl2", SURROGATES["brvfl2"]),
    Member("brvfl4", SURROGATES["brvfl4"]),
    Member("kde", SURROGATES["kde"], most=300),
    Member("neural_linear", SURROGATES["neural_linear"], least=18, most=1000),
)
SURROGATES["stacked"] = Stacked(POOL)

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
}

# The settings of 004 2.7, as `lab.studies.hoegger_names` spells them: its values go from -1 to 1.
_BUDGETS = ("0.05", "0.1", "0.25", "0.5", "1.0", "2.0")
_INNER: dict[str, Any] = {"": UpperBound(beta=1.0), "ei_": ExpectedImprovement()}
_HOEGGER = {
    f"{prefix}{budget}": MeanWidth(inner, float(budget), scaling="none")
    for prefix, inner in _INNER.items()
    for budget in _BUDGETS
}
CRITERIA |= {f"mean_width_{name}": criterion for name, criterion in _HOEGGER.items()}

# Dynamic C is a policy that is named like the criterion in it.
DYNAMIC_C: dict[str, tuple[MeanWidth, Decay]] = {"dynamic_c": (MeanWidth(budget=0.05), Decay())}
for _kind, _decay in {
    "lin": Decay("linear", padding=0),
    "lin_pad": Decay("linear"),
    "exp_pad": Decay("exponential"),
}.items():
    for _name, _criterion in _HOEGGER.items():
        DYNAMIC_C[f"dynamic_c_{_kind}_{_name}"] = _criterion, _decay

# So is the criterion of 000 1.4.2, around any surrogate that has moments.
CONDITIONAL_MAP = "conditional_map"
_NAMES = {CONDITIONAL_MAP: ConditionalMap}

# 000 1.2.8: 150 random starts, all of which climb. Here they are points of a Sobol sequence.
LBFGS_150 = Mixed(Multistart(candidates=150, local=0, restarts=150, rounds=100))

MAXIMIZERS: dict[str, Maximizer] = {
    "mixed": Mixed(),
    "multistart": Multistart(),
    "random": RandomPoints(),
    "random_candidates": RandomCandidates(),
    "lbfgs150": LBFGS_150,
    "differential_evolution": DifferentialEvolution(),
    "grid": GridPoints(),
    "direct": Direct(),
    "direct_5000": Direct(evaluations=5_000),
    "mixed_integer": MixedInteger(),
}

# 003 1.7: with this probability a point is drawn at random.
EXPLORING = dict.fromkeys(CLASSIFIERS, 0.1)

# Random features are spread over the cube that they see: a small one is better.
# `laplace` is unsure of the corners of the cube, and would visit them all.
LOCAL = ("brvfl1", "brvfl2", "brvfl3", "brvfl4", "laplace")
# Their criteria have kinks, on which the later rounds of a climb gain nothing.
SHORT_CLIMBS = Mixed(Multistart(rounds=20))
# So have those of classifiers, and a place that is nearly the best teaches as much.
CLASS_CLIMBS = Mixed(Multistart(restarts=5, rounds=25), rounds=3)

POLICIES: dict[str, Policy] = {
    **MORE_POLICIES,
    "random": RandomSearch(),
    "sobol": Sobol(),
    "latin_hypercube": LatinHypercube(),
    "grid": Grid(),
    "gradient_descent": GradientDescent(),
    "rbf": RadialBasis(),
    "gp_one_stage": OneStage(),
    "gp_one_stage_aryan": OneStage(GP_CORRELATION, is_concentrated=True),
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


def unknown(kind: str, name: str, table: Iterable[str]) -> ValueError:
    """Return the error for a surrogate, criterion or maximizer that nobody knows."""
    usual, _, see = _SHOWN[kind]
    return unknown_name(kind, name, table, usual=usual, see=see)


def _look_up(kind: str, name: Any, table: dict[str, Any], wanted: type[Any]) -> Any:
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


def _wrapped(
    criterion: str | Criterion | None,
) -> tuple[str | Criterion | None, Callable[[Standard], Policy] | None]:
    """Return the criterion, and the policy around it that a name stands for, if any."""
    if isinstance(criterion, str) and criterion == CONDITIONAL_MAP:
        return None, ConditionalMap
    if isinstance(criterion, str) and criterion in DYNAMIC_C:
        inner, decay = DYNAMIC_C[criterion]
        return inner, lambda standard: DynamicC(standard, decay)
    return criterion, None


def _around(name: str, criterion: Any, maximizer: Any) -> Policy:
    around, _, inner = name.partition("@")
    if around not in AROUND:
        raise unknown_name("policy around a surrogate", around, AROUND)
    if inner not in SURROGATES:
        raise unknown("surrogate", inner, SURROGATES)
    return AROUND[around](_standard(inner, criterion, maximizer))


def make_policy(  # noqa: C901, PLR0911
    surrogate: "str | Surrogate | Policy | Sequence[str | Surrogate]" = "auto",
    criterion: str | Criterion | None = None,
    maximizer: str | Maximizer | None = None,
) -> Policy:
    """Build the policy that names or recipes stand for.

    A list of surrogates has one for each of several objectives. "trust_region@gp" is the policy
    before the @ around the surrogate behind it.

    Raises:
        ValueError: if nobody knows a name; the message lists the near ones.
    """
    if isinstance(surrogate, list | tuple):
        return _for_each(surrogate, criterion, maximizer)
    if isinstance(surrogate, str) and "@" in surrogate:
        return _around(surrogate, criterion, maximizer)
    if isinstance(surrogate, str) and surrogate in POLICIES:
        surrogate = POLICIES[surrogate]
    if isinstance(surrogate, Policy) and not isinstance(surrogate, type):
        if criterion is not None or maximizer is not None:
            raise ValueError(
                f"{type(surrogate).__name__} is a whole policy: no criterion, no maximizer."
            )
        return surrogate
    criterion, wrap = _wrapped(criterion)
    standard = _standard(surrogate, criterion, maximizer)
    if wrap is not None:
        return wrap(standard)
    if isinstance(surrogate, str) and surrogate in EXPLORING:
        short = replace(standard, maximizer=CLASS_CLIMBS) if maximizer is None else standard
        return Exploring(short, EXPLORING[surrogate])
    if criterion is None and maximizer is None and surrogate == "auto":
        return AUTOMATIC
    if criterion is None and maximizer is None and surrogate in LOCAL:
        return TrustRegion(replace(standard, maximizer=SHORT_CLIMBS))
    return standard


SEVERAL = 2  # objectives, at least


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
    named = tuple(_look_up("surrogate", s, SURROGATES, Surrogate) for s in surrogates)
    return replace(found, surrogates=named)


def _standard(surrogate: Any, criterion: Any, maximizer: Any) -> Standard:
    return Standard(
        _look_up("surrogate", surrogate, SURROGATES | POLICIES, Surrogate),
        None
        if criterion is None
        else _look_up("criterion", criterion, CRITERIA | DYNAMIC_C | _NAMES, Criterion),
        _look_up("maximizer", "mixed" if maximizer is None else maximizer, MAXIMIZERS, Maximizer),
    )


# The default. Whole climbs between changes of integers and categories gain nothing.
_CLIMBS = Mixed(Multistart(restarts=6, rounds=30, tolerance=1e-4), rounds=5, between=6)
_FEW = Basins(Standard(GaussianProcess(follows=True), None, _CLIMBS), patience=15)
_LOCAL = make_policy("brvfl4")
# A clipped value has no density.
_JUDGED = GaussianProcess(clip=None, restarts=0, rounds=20)
# Where one law of a value is no Gaussian there are branches, and a search near the best value seen
# does better than a model of their mean.
WAYS = (
    Way("gp", _FEW, _JUDGED),
    Way("gp_log_warp_3", _FEW, _JUDGED, strength=3.0, handicap=6.0),
    Way("gp_log_warp_30", _FEW, _JUDGED, strength=30.0, handicap=6.0),
    Way("branches", _LOCAL, SURROGATES["kde"], handicap=6.0, is_continuous=True),
    Way(
        "bnn_nuts_fast", Standard(SURROGATES["bnn_nuts_fast"], None, Mixed()),
        SURROGATES["bnn_nuts_fast"], handicap=6.0, seconds=15.0,
    ),
)  # fmt: skip
AUTOMATIC = Automatic(WAYS, SURROGATES["auto"], HIGH_DIMENSION, _LOCAL)
