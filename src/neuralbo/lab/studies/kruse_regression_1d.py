"""001 10.2: four one-dimensional functions, nine training sizes, 10 repetitions."""

from neuralbo.lab.regression_study import Claim, RegressionStudy

KRUSE_REGRESSION_1D = RegressionStudy(
    name="kruse-regression-1d",
    reproduces="Kruse (2022) 6.2, Figs. 6.1 to 6.7: MRE and exp(MLPD) on Test1 to Test4",
    problems=("kruse-test1", "kruse-test2", "kruse-test3", "kruse-test4"),
    surrogates=("gp_kruse", "gp", "brvfl4", "empirical"),
    claims=(
        # 0.3000 is the error of the mean over the box; that of a sample's mean differs a little
        Claim("kruse-test1", "empirical", 316, "mre", 0.29, 0.31, "001 11.1: 0.3000"),
        Claim("kruse-test1", "gp_kruse", 36, "exp_mlpd", 5.0, 8.0, "001 section 14: 6.20"),
    ),
)
