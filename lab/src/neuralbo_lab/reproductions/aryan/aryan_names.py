"""What of ours stands for the methods of Aryan (2020), by their names there.

A name that the catalog does not have yet is that of a method to come.
"""

_LBFGS = "lbfgs150"  # Aryan (2020), Sec. 3.5: 150 random starts for all methods of chapter 3
# Aryan (2020), ch. 4 and 6: what RoBO does for all of its methods
_ROBO = "log_ei/random_candidates"

# Chapter 3, by Gaussian and by empirical expected improvement.
GPO = f"gp_gpo/ei/{_LBFGS}"
HBNN, HBNN_EMPIRICAL = f"hbnn_fast/ei/{_LBFGS}", f"hbnn_fast/empirical_ei/{_LBFGS}"
SBNN, SBNN_EMPIRICAL = f"sbnn_fast/ei/{_LBFGS}", f"sbnn_fast/empirical_ei/{_LBFGS}"
ELM, ELM_EMPIRICAL = f"elm_printed/ei/{_LBFGS}", f"elm_printed/empirical_ei/{_LBFGS}"
REPAIRED = f"elm/ei/{_LBFGS}", f"elm/empirical_ei/{_LBFGS}"  # small singular values left out
BAYESIAN = (HBNN, HBNN_EMPIRICAL, SBNN, SBNN_EMPIRICAL)
EXTREME = (ELM, ELM_EMPIRICAL)
CHAPTER_3 = (GPO, *BAYESIAN, *EXTREME)

# Chapters 4 to 6.
BOHAMIANN, GP, GP_MCMC = f"bohamiann/{_ROBO}", f"gp/{_ROBO}", f"gp_mcmc/{_ROBO}"
FOREST, SEARCH = f"random_forest/{_ROBO}", "random"
IVBNN = f"ivbnn_fast/{_ROBO}"  # the printed settings take minutes for a suggestion
OTHERS = (BOHAMIANN, GP, GP_MCMC, FOREST, SEARCH)

_RVFL = ("BRVFL1", "BRVFL2", "BRVFL3", "BRVFL4", "ERVFL1", "ERVFL2", "ERVFL3", "ERVFL4")
FIXED = {label: f"{label.lower()}_fixed/{_ROBO}" for label in _RVFL}  # Aryan (2020), Sec. 4.4.1
# Aryan (2020), Eq. (4.8-4.9)
LEARNT = {label: f"{label.lower()}_aryan/{_ROBO}" for label in _RVFL}
BASELINES = {
    "Bohamiann": BOHAMIANN,
    "BOHAMIANN": BOHAMIANN,
    "GP": GP,
    "GP_mcmc": GP_MCMC,
    "RandomForest": FOREST,
    "Random Forest": FOREST,
    "RF": FOREST,
    "RandomSearch": SEARCH,
    "Random Search": SEARCH,
}
# Aryan (2020), Sec. 5.3: the largest expected improvement is found at random.
_MAP = "conditional_map/random_candidates"
CONDITIONAL = {
    "BOHAMIANN_cl": f"bohamiann/{_MAP}",
    "GP_cl": f"gp/{_MAP}",
    "RF_cl": f"random_forest/{_MAP}",
}
NETWORKS = {"IVBNN": IVBNN}
