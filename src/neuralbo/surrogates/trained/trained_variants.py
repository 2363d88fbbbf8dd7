"""Trained networks for one purpose: those of `trained_presets`, with one thing changed."""

from dataclasses import replace

from neuralbo.surrogates.surrogate import Surrogate
from neuralbo.surrogates.trained.trained_presets import (
    DEEP_ENSEMBLE,
    DEEP_ENSEMBLE_FAST,
    NOMU_FAST,
)

# So small that `mixed_integer` proves its maximum within seconds.
NOMU_LINEAR = replace(NOMU_FAST, widths=(16, 16), bounds=replace(NOMU_FAST.bounds, kind="linear"))

# Högger (2021), Eq. 4.17: is the standard deviation of Högger (2021) a variance?
DEEP_ENSEMBLE_LEGACY = replace(DEEP_ENSEMBLE, legacy_variance_as_sigma=True)
DEEP_ENSEMBLE_FAST_LEGACY = replace(DEEP_ENSEMBLE_FAST, legacy_variance_as_sigma=True)

VARIANTS: dict[str, Surrogate] = {
    "nomu_linear": NOMU_LINEAR,
    "deep_ensemble_legacy": DEEP_ENSEMBLE_LEGACY,
    "deep_ensemble_fast_legacy": DEEP_ENSEMBLE_FAST_LEGACY,
}
