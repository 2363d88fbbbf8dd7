"""What of ours stands for the models of Kruse (2022)."""

GP, BNN, BOHAMIANN = "gp_kruse", "bnn_nuts_fast", "bohamiann_fast"
BNN_AS_PRINTED, BOHAMIANN_AS_PRINTED = "bnn_nuts", "bohamiann"
KDE, GMR, SPN = "kde", "gmr", "spn"
KDE_AS_PRINTED = "kde_kruse"
EMPIRICAL = "empirical"  # random search when it optimizes (Kruse 2022, sec. 6.1)
DISCRIMINATIVE, MIXTURES = (GP, BNN, BOHAMIANN), (KDE, GMR, SPN)
MODELS = (*DISCRIMINATIVE, *MIXTURES, EMPIRICAL)

BBOB_FUNCTIONS, BBOB_DIMENSIONS = (3, 9, 15, 21), (2, 3, 5)
BBOB = tuple(f"bbob-f{f}-d{d}" for f in BBOB_FUNCTIONS for d in BBOB_DIMENSIONS)
BBOB_INSTANCE = "Instance 1 of each function, as in the author's code; the text does not say."
BBOB_TEN = "Not in 10 dimensions: the text names them, no figure has them (E22)."
OURS = "gp and brvfl4 are ours, not Kruse's."
FAST = (
    "BNN and BOHAMIANN are our presets bnn_nuts_fast (the output layer integrated out, HMC, 100"
    " draws) and bohamiann_fast (a fifth of the steps, four chains, all rows at once)"
)

OUR_MIXTURES = (
    "KDE, GMR and SPN choose their settings by our own rule, not by Kruse's 40 settings in"
    " 30 folds (kde_kruse, gmr_kruse and spn_kruse have those; minutes a fit but for KDE); their"
    " background has standard deviation 1, not 10, and GMR has a prior (Kruse 2022, sec. 4.1, "
    "4.4 and 5.2)"
)
EXACT = (
    "Beside Kruse's one Gaussian of the same moments (ei) stands the exact expected"
    " improvement of the mixtures (mixture_ei), its future work."
)


def exact(model: str) -> str:
    """Return a mixture with its exact expected improvement over the same points."""
    return f"{model}/mixture_ei/random"


def optimizer(model: str) -> str:
    """Return a model with what all experiments have: EI over 5000 d points (Kruse 2022, sec.

    5.1).
    """
    return f"{model}/ei/random"


def without(*models: str) -> tuple[str, ...]:
    """Return the other models of Kruse (2022)."""
    return tuple(model for model in MODELS if model not in models)
