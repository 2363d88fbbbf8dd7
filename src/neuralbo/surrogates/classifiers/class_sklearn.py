"""Trees of scikit-learn as classifiers. Extra `lab`."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal, final

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo.surrogates.classifiers.class_model import LogOdds, Undecided
from neuralbo.surrogates.classifiers.labels import Labels

FOREST: dict[str, Any] = {"min_samples_leaf": 2}
BOOSTING: dict[str, Any] = {"max_depth": 3, "learning_rate": 0.1}


@final
@dataclass(frozen=True, slots=True)
class TreeClassifier:
    """q(x) of a forest or of boosted trees, drawn towards the share of good ones.

    pi = (n q + share)/(n + 1): as if by one more observation, so that it is never 0 or 1. Hassen
    and Rish (2021), Sec. 5.1.

    Attributes:
        trees: the code of BORE has 16 of depth 3 for either kind.
        depth: of a tree; None lets those of a forest grow and boosting have 3.
    """

    kind: Literal["forest", "boosting"]
    trees: int = 100
    depth: int | None = None

    is_smooth: ClassVar[bool] = False

    def learn(self, X: Tensor, labels: Labels, rng: Generator) -> LogOdds:
        """Grow the trees; `rng` draws their seed.

        Raises:
            ImportError: if scikit-learn is not installed.
        """
        rows, z, counts = examples(X, labels)
        if len(np.unique(z)) == 1:
            return one_class(float(z[0]), len(X))
        name = "RandomForestClassifier" if self.kind == "forest" else "GradientBoostingClassifier"
        settings = dict(FOREST if self.kind == "forest" else BOOSTING)
        if self.depth is not None:
            settings["max_depth"] = self.depth
        seed = int(torch.randint(2**31, (1,), generator=rng))
        estimator = sklearn_class("sklearn.ensemble", name)(
            n_estimators=self.trees, random_state=seed, **settings
        )
        estimator.fit(rows, z, sample_weight=counts)
        return _Estimated(estimator, float((counts * z).sum() / counts.sum()), len(X))


def sklearn_class(module: str, name: str) -> Any:
    """Return a class of scikit-learn.

    Raises:
        ImportError: if it is not installed.
    """
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        raise ImportError(f"{name} needs scikit-learn: pip install 'neuralbo[sklearn]'") from error


def one_class(z: float, n: int) -> Undecided:
    """Return what n observations of one class say: the same everywhere."""
    return Undecided((n * z + 0.5) / (n + 1))


def examples(X: Tensor, labels: Labels) -> tuple[Any, Any, Any]:
    """Return rows, classes and weights: a row that counts as both classes comes twice."""
    is_good, is_other = labels.a > 0, labels.b > 0
    if not (is_good & is_other).any():
        return X.numpy(), is_good.double().numpy(), (labels.a + labels.b).numpy()
    rows = torch.cat([X[is_good], X[is_other]])
    z = torch.cat([torch.ones(int(is_good.sum())), torch.zeros(int(is_other.sum()))])
    counts = torch.cat([labels.a[is_good], labels.b[is_other]])
    return rows.numpy(), z.numpy(), counts.numpy()


@final
class _Estimated:
    """log odds of a fitted estimator; the gradient is there, and zero."""

    def __init__(self, estimator: Any, share: float, n: int) -> None:
        self.estimator, self.share, self.n = estimator, share, n

    def __call__(self, X: Tensor) -> Tensor:
        rows = X.detach().reshape(-1, X.shape[-1])
        q = torch.from_numpy(self.estimator.predict_proba(rows.numpy())[:, 1])
        p = (self.n * q.double() + self.share) / (self.n + 1)
        return p.logit().reshape(X.shape[:-1]) + 0 * X.sum(-1)
