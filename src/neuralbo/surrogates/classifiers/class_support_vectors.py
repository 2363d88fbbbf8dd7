"""Support vectors with a radial kernel as a classifier. Extra `lab`.

Notation
    h(x) = sum_i c_i exp(-g |x - x_i|^2) + c_0, the decision of the machine
    A, B  of Platt's sigmoid: log odds = A h(x) + B
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo.surrogates.classifiers.class_model import LogOdds
from neuralbo.surrogates.classifiers.class_sklearn import examples, one_class, sklearn_class
from neuralbo.surrogates.classifiers.labels import Labels

FOLDS = 3
NEWTON_STEPS = 50
RIDGE = 1e-3  # of A and B: decisions may part the classes without error


@final
@dataclass(frozen=True, slots=True)
class SupportVectors:
    """log odds = A h(x) + B. Platt (1999); Lin et al. (2007).

    h is that of scikit-learn's SVC; A and B come from decisions about thirds of the rows that
    the machine has not seen, if both classes are in the rest, else from its own rows. Hassen and
    Rish (2021), Sec. 5.1.

    Attributes:
        C: what an error costs; 10 in the code of BORE.
    """

    C: float = 10.0

    is_smooth: ClassVar[bool] = True

    def learn(self, X: Tensor, labels: Labels, rng: Generator) -> LogOdds:
        """Train the machine; nothing is drawn.

        Raises:
            ImportError: if scikit-learn is not installed.
        """
        rows, z, counts = examples(X, labels)
        if len(np.unique(z)) == 1:
            return one_class(float(z[0]), len(X))
        g = 1 / (rows.shape[1] * max(rows.var(), 1e-12))
        machine = self._machine(g).fit(rows, z, sample_weight=counts)
        decisions = machine.decision_function(rows)
        for fold in range(FOLDS):
            is_out = np.arange(len(z)) % FOLDS == fold
            if len(np.unique(z[~is_out])) == 2 and is_out.any():
                part = self._machine(g).fit(rows[~is_out], z[~is_out], counts[~is_out])
                decisions[is_out] = part.decision_function(rows[is_out])
        A, B = platt(*(torch.from_numpy(x).double() for x in (decisions, z, counts)))
        support = torch.from_numpy(machine.support_vectors_)
        c = torch.from_numpy(machine.dual_coef_[0])
        return _Decision(support, A * c, A * float(machine.intercept_[0]) + B, g)

    def _machine(self, g: float) -> Any:
        return sklearn_class("sklearn.svm", "SVC")(C=self.C, gamma=g, random_state=0)


def platt(h: Tensor, z: Tensor, counts: Tensor) -> tuple[float, float]:
    """Return A >= 0 and B that make decisions, n, log odds; by Newton's method.

    Classes count as (n_1 + 1)/(n_1 + 2) and 1/(n_0 + 2) instead of 1 and 0. Platt (1999), Eq. (4).
    """
    good, others = (counts * z).sum(), (counts * (1 - z)).sum()
    target = torch.where(z > 0, (good + 1) / (good + 2), 1 / (others + 2))
    Phi = torch.stack([h, torch.ones_like(h)], -1)
    w = torch.zeros(2, dtype=h.dtype)
    for _ in range(NEWTON_STEPS):
        p = (Phi @ w).sigmoid()
        H = Phi.mT @ ((counts * p * (1 - p))[:, None] * Phi) + RIDGE * torch.eye(2).double()
        step = torch.linalg.solve(H, Phi.mT @ (counts * (target - p)) - RIDGE * w)
        w = w + step.clamp(-2, 2)
    return max(float(w[0]), 1e-6), float(w[1])


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Decision:
    support: Tensor  # k x d
    c: Tensor  # k
    constant: float
    g: float

    def __call__(self, X: Tensor) -> Tensor:
        squared = (X[..., None, :] - self.support).square().sum(-1)
        return (-self.g * squared).exp() @ self.c + self.constant
