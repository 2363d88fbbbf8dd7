"""Wilcoxon's signed-rank test, and Holm's correction for several of them."""

import numpy as np
from scipy.stats import wilcoxon

from neuralbo_lab.statistics.arrays import Array


def holm(p_values: Array) -> Array:
    """Return p-values corrected for their number. Holm (1979)."""
    order = np.argsort(p_values)
    raised = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty_like(raised)
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return corrected


def wilcoxon_p_value(compared: Array) -> float:
    """Return that of Wilcoxon's test; ties of the two methods are shared among the sides."""
    if not compared.any():
        return 1.0
    return float(wilcoxon(compared, zero_method="zsplit").pvalue)
