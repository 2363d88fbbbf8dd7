"""How the methods of Högger (2021) are called: its estimator, Dynamic C, budget.

The catalog has mean width and Dynamic C under these names:

    nomu_fast/mean_width_0.1/grid         upper bound, standard deviations scaled to a mean width
    of 0.1 nomu_fast/mean_width_ei_0.1/grid      the same with expected improvement
    nomu_fast/dynamic_c_exp_pad_0.1/grid  with Dynamic C: exponential decay and padding
    nomu_fast/dynamic_c_lin_ei_0.1/grid   linear decay, no padding, expected improvement

The maximizer is `grid` in one and two dimensions (Högger 2021, sec. 6.3.2) and DIRECT with 5,000
evaluations in five. The networks are our small ones; those of Högger (2021), such as `nomu`, are
in hoegger-full-size. Högger's scaled Gaussian process is `gp_pure` under the same criteria;
its "pGP" is `PURE`.
"""

SURROGATES = {
    "NOMU": "nomu_fast",
    "GP": "gp_pure",
    "DE": "deep_ensemble_fast",
    "DO": "mc_dropout_fast",
}
BUDGETS = ("0.1", "0.25", "0.5", "1.0", "2.0")  # of the mean width, in one dimension
DECAYS = {"no dc": "", "lin.": "lin", "lin. pad.": "lin_pad", "exp. pad.": "exp_pad"}
PURE = "gp_pure/upper_bound"  # no mean width, no Dynamic C; its maximizer is ours


def scaled(estimator: str, budget: str, *, is_ei: bool = False) -> str:
    """Return an estimator with mean width and without Dynamic C, in one dimension."""
    return dynamic(estimator, "no dc", budget, is_ei=is_ei)


def dynamic(
    estimator: str, decay: str, budget: str, *, is_ei: bool = False, maximizer: str = "grid"
) -> str:
    """Return an estimator of Högger (2021) with one of its decays, "no dc" among them."""
    kind = f"dynamic_c_{DECAYS[decay]}" if DECAYS[decay] else "mean_width"
    ending = f"ei_{budget}" if is_ei else budget
    return f"{SURROGATES[estimator]}/{kind}_{ending}/{maximizer}"
