"""Numbers that compare methods."""

from neuralbo_lab.statistics.arrays import competition_ranks
from neuralbo_lab.statistics.borda import Standing, bbob_group, borda, first_places, standings
from neuralbo_lab.statistics.calibration import (
    Reliability,
    brier_score,
    expected_calibration_error,
    reliability,
    transform_reliability,
)
from neuralbo_lab.statistics.friedman import (
    Friedman,
    critical_difference,
    friedman,
    friedman_ranks,
    groups,
)
from neuralbo_lab.statistics.hierarchy import area_under_curve, compare, partial_ranks
from neuralbo_lab.statistics.interval_ranks import best_budget, interval_ranks
from neuralbo_lab.statistics.paired import Overall, Ratio, overall, paired_ratio
from neuralbo_lab.statistics.profiles import performance_profile, performance_ratios
from neuralbo_lab.statistics.ratios import geometric_mean, ratio_interval
from neuralbo_lab.statistics.regression_scores import (
    CALIBRATION_LEVELS,
    PredictiveDistribution,
    RegressionScores,
    calibration_error,
    interval_coverage,
    mean_absolute_error,
    mean_density,
    mean_log_density,
    mean_relative_error,
    modes,
    regression_scores,
)
from neuralbo_lab.statistics.runs import aligned, regret, running_minimum
from neuralbo_lab.statistics.signed_ranks import holm, wilcoxon_p_value
from neuralbo_lab.statistics.summaries import Summary, bootstrap_interval, outliers, summarize
from neuralbo_lab.statistics.targets import (
    BBOB_TARGETS,
    expected_running_time,
    running_times,
    target_ecdf,
)

__all__ = [
    "BBOB_TARGETS",
    "CALIBRATION_LEVELS",
    "Friedman",
    "Overall",
    "PredictiveDistribution",
    "Ratio",
    "RegressionScores",
    "Reliability",
    "Standing",
    "Summary",
    "aligned",
    "area_under_curve",
    "bbob_group",
    "best_budget",
    "bootstrap_interval",
    "borda",
    "brier_score",
    "calibration_error",
    "compare",
    "competition_ranks",
    "critical_difference",
    "expected_calibration_error",
    "expected_running_time",
    "first_places",
    "friedman",
    "friedman_ranks",
    "geometric_mean",
    "groups",
    "holm",
    "interval_coverage",
    "interval_ranks",
    "mean_absolute_error",
    "mean_density",
    "mean_log_density",
    "mean_relative_error",
    "modes",
    "outliers",
    "overall",
    "paired_ratio",
    "partial_ranks",
    "performance_profile",
    "performance_ratios",
    "ratio_interval",
    "regression_scores",
    "regret",
    "reliability",
    "running_minimum",
    "running_times",
    "standings",
    "summarize",
    "target_ecdf",
    "transform_reliability",
    "wilcoxon_p_value",
]
