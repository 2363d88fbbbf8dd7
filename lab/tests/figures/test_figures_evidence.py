"""The figure of the weight of the data."""

import numpy as np
import pytest
import torch
from neuralbo.data import Data
from neuralbo.surrogates import KernelDensity
from neuralbo.testing.toys import multimodal, seeded, uniform

from neuralbo_lab.figures.evidence import evidence_curve

pytest.importorskip("matplotlib")


def test_the_curve_is_the_models_and_the_observations_are_marked():
    X = 0.4 * uniform(15, 1)
    model = KernelDensity().fit(Data(X, multimodal(X)), seeded())
    x = torch.linspace(0, 1, 50, dtype=torch.float64)
    alpha = model.evidence_weight(x[:, None])
    figure = evidence_curve(x.numpy(), alpha.numpy(), X[:, 0].numpy(), "evidence")
    curve, marks = figure.axes[0].lines
    np.testing.assert_array_equal(curve.get_ydata(), alpha.numpy())
    np.testing.assert_array_equal(marks.get_xdata(), X[:, 0].numpy())
    assert curve.get_ydata().max() > 0.5 > curve.get_ydata()[-1]  # the data end at 0.4
