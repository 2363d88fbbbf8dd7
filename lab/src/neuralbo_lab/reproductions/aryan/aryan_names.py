"""What of ours stands for the methods of Aryan (2020), by their names there.

A name that the catalog does not have yet is that of a method to come.
"""

_LBFGS = "lbfgs150"  # 000 1.2.8, A17: 150 random starts for all methods of chapter 3
_ROBO = "log_ei/random_candidates"  # 000 Part 2, A24: what RoBO does for all of its methods

# Chapter 3, by Gaussian and by empirical expected improvement.
GPO = f"gp_gpo/ei/{_LBFGS}"
HBNN, HBNN_EMPIRICAL = f"hbnn_fast/ei/{_LBFGS}", f"hbnn_fast/empirical_ei/{_LBFGS}"
SBNN, SBNN_EMPIRICAL = f"sbnn_fast/ei/{_LBFGS}", f"sbnn_fast/empirical_ei/{_LBFGS}"
ELM, ELM_EMPIRICAL = f"elm/ei/{_LBFGS}", f"elm/empirical_ei/{_LBFGS}"
BAYESIAN = (HBNN, HBNN_EMPIRICAL, SBNN, SBNN_EMPIRICAL)
EXTREME = (ELM, ELM_EMPIRICAL)
CHAPTER_3 = (GPO, *BAYESIAN, *EXTREME)

# Chapters 4 to 6.
BOHAMIANN, GP, GP_MCMC = f"bohamiann/{_ROBO}", f"gp/{_ROBO}", f"gp_mcmc/{_ROBO}"
FOREST, SEARCH = f"random_forest/{_ROBO}", "random"
IVBNN = f"ivbnn_fast/{_ROBO}"  # the printed settings take minutes for a suggestion
OTHERS = (BOHAMIANN, GP, GP_MCMC, FOREST, SEARCH)

_RVFL = ("BRVFL1", "BRVFL2", "BRVFL3", "BRVFL4", "ERVFL1", "ERVFL2", "ERVFL3", "ERVFL4")
FIXED = {label: f"{label.lower()}_fixed/{_ROBO}" for label in _RVFL}  # 000 1.3.4
LEARNT = {label: f"{label.lower()}_aryan/{_ROBO}" for label in _RVFL}  # 000 1.3.5
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
# 000 1.4.2: the largest expected improvement is found at random.
_MAP = "conditional_map/random_candidates"
CONDITIONAL = {
    "BOHAMIANN_cl": f"bohamiann/{_MAP}",
    "GP_cl": f"gp/{_MAP}",
    "RF_cl": f"random_forest/{_MAP}",
}
NETWORKS = {"IVBNN": IVBNN}
