"""Classifiers by name: ours, those of Hassen and Rish (2021), and others."""

from dataclasses import replace

from neuralbo.inference.laplace import Laplace
from neuralbo.surrogates.classifiers.class_ratio import KernelDensities, RatioClassifier
from neuralbo.surrogates.classifiers.class_sklearn import TreeClassifier
from neuralbo.surrogates.classifiers.class_support_vectors import SupportVectors
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.surrogates.classifiers.density_ratio import DensityRatio
from neuralbo.surrogates.surrogate import Surrogate

GAMMA = 0.15  # with a third of them the best few do not stand out; see docs/methods/bore.md

BORE = DensityRatio(gamma=GAMMA, delta=0.03, members=3)
BOGGN = replace(BORE, members=1, laplace=Laplace("kronecker"))
LFBO = DensityRatio("improvement", delta=0.03)

# The rows of our pilot, with Hassen and Rish's gamma.
PILOT: dict[str, Surrogate] = {
    "bore_delta_1": DensityRatio(delta=1.0),
    "boggn_delta_1": DensityRatio(delta=1.0, laplace=Laplace()),
    "bore_delta_0.1": DensityRatio(delta=0.1),
    "boggn_delta_0.1": DensityRatio(delta=0.1, laplace=Laplace()),
    "boggn_printed_loss": DensityRatio(delta=1.0, laplace=Laplace(), loss="printed"),
}

PRESETS: dict[str, Surrogate] = {
    "boggn": BOGGN,
    "bore": BORE,
    "lfbo": LFBO,
    "boggn_evidence": replace(BOGGN, delta=(0.01, 0.03, 0.1, 0.3, 1.0)),
    "bore_single": replace(BORE, members=1),  # boggn without the average over its posterior
    "bore_elu": replace(BORE, widths=(32, 32, 32), activation="elu"),
    **PILOT,
    "bore_forest": ClassifierRatio(TreeClassifier("forest"), GAMMA),
    "bore_boosting": ClassifierRatio(TreeClassifier("boosting"), GAMMA),
    "bore_svm": ClassifierRatio(SupportVectors(), GAMMA),
    "bore_kde": ClassifierRatio(KernelDensities(), GAMMA),
    "bore_kliep": ClassifierRatio(RatioClassifier("kliep"), GAMMA),
    "bore_ulsif": ClassifierRatio(RatioClassifier("ulsif"), GAMMA),
    "bore_rulsif": ClassifierRatio(RatioClassifier("rulsif"), GAMMA),
}
