"""Small data, domains, models and acquisition functions on which the checks run."""

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.utils.transforms import t_batch_mode_transform
from torch import Generator, Tensor

from neuralbo.data import Data
from neuralbo.space import Categorical, Integer, Real, Space
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates.surrogate import GaussianModel

# surrogates of the catalog whose fit takes up to minutes: the publications' own settings
MINUTES = frozenset(
    {"sbnn", "hbnn", "bnn_hmc", "bnn_nuts", "bnn_cauchy", "bohamiann", "ivbnn"}
    | {"nomu", "deep_ensemble", "deep_ensemble_legacy", "mc_dropout", "gmr_kruse", "spn_kruse"}
)


def seeded(seed: int = 0) -> Generator:
    """Return a generator that begins at `seed`."""
    return torch.Generator().manual_seed(seed)


def uniform(*shape: int, seed: int = 0) -> Tensor:
    """Return uniform numbers in [0,1], the same ones for the same seed."""
    return torch.rand(*shape, generator=seeded(seed), dtype=torch.float64)


def multimodal(X: Tensor) -> Tensor:
    """Return a smooth function of variance about 1 in any number of columns, n x d to n x 1."""
    first, last = X[..., :1], X[..., -1:]
    return 1.2 * (torch.sin(4 * first) + torch.cos(3 * last) - 0.6)


def smooth_data(n: int = 20, d: int = 2, seed: int = 1) -> Data:
    """Return n points in the cube and `multimodal` there, scaled to variance 1 if n > 1."""
    X = uniform(n, d, seed=seed)
    Y = multimodal(X)
    if n > 1:
        Y = (Y - Y.mean()) / Y.std(correction=0)
    return Data(X, Y)


@final
class OneNumber(GaussianModel):
    """f(x) = scale (x_1 + x_2 e), e ~ N(0,1): a point is its own mean and standard deviation.

    Criteria are checked on it, since no training is needed and every moment can be chosen.
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale
        self.facts = {}
        self.register_buffer("noise_variance", torch.tensor(0.0, dtype=torch.float64))

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return scale x_1 and (scale x_2)^2."""
        return self.scale * X[..., 0], (self.scale * X[..., 1]).square()

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean, and the covariance of rank one."""
        std = self.scale * X[..., 1]
        return self.scale * X[..., 0], std[..., None] * std[..., None, :]

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw e."""
        e = torch.randn(1, generator=rng, dtype=torch.float64)
        return lambda X: self.scale * (X[..., :1] + e * X[..., 1:2])


@final
class Peak(AcquisitionFunction):
    """a(x) = height - |x - top|^2: concave, with its maximum at `top`."""

    top: Tensor

    def __init__(self, top: Tensor, height: float = 0.0) -> None:
        super().__init__(OneNumber())
        self.register_buffer("top", top)
        self.height = height

    @t_batch_mode_transform(expected_q=1)  # type: ignore[arg-type]
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate it at X, b x 1 x d; b values."""
        return self.height - (X - self.top).square().sum(-1).squeeze(-1)


SQUARE = Domain((Variable(), Variable()))
MIXED = Domain(
    (Variable(), Variable("ordinal", 5), Variable("category", 3), Variable("category", 2))
)
CONDITIONAL = Domain(
    (
        Variable("category", 3),
        Variable(when=((0, frozenset([0])),)),
        Variable("ordinal", 7, ratio=64.0, when=((0, frozenset([0, 1])),)),
        Variable(optional=True),
    )
)
FINITE = Domain((Variable("ordinal", 3), Variable("category", 2)))
DOMAINS = {"square": SQUARE, "mixed": MIXED, "conditional": CONDITIONAL, "finite": FINITE}


def constrained() -> Space:
    """Return a space with an order, a sum of which an integer is a part, and a function."""
    return Space(
        {
            "lower": Real(0, 1),
            "upper": Real(0, 1),
            "n": Integer(0, 5),
            "x": Real(0, 5),
            "kind": Categorical(["a", "b"]),
        },
        constraints=["lower < upper", "n + x == 5", _is_allowed],
    )


def _is_allowed(params: dict[str, Any]) -> bool:
    return bool(params["kind"] == "a" or params["n"] >= 2)


def cube(d: int) -> Domain:
    """Return a domain of d continuous variables."""
    return Domain((Variable(),) * d)


def observed(domain: Domain, n: int, *, pending: int = 0, failed: int = 0, seed: int = 5) -> Data:
    """Return n legal points with values, and further ones that are pending or failed.

    In a finite domain they are different from each other as long as that is possible.
    """
    X = domain.sample(64 * (n + pending + failed + 1), seeded(seed))
    X = _different(X, n + pending + failed)
    return Data(
        X[:n],
        multimodal(X[:n]) if n else X.new_empty(0, 1),
        numbers=torch.arange(len(X[:n])),
        X_pending=X[n : n + pending],
        X_failed=X[n + pending :],
    )


def _different(X: Tensor, n: int) -> Tensor:
    """Return the first n rows that differ from those before, and repeat them if too few."""
    rows: list[Tensor] = []
    for row in X:
        if len(rows) < n and not any(torch.equal(row, other) for other in rows):
            rows.append(row)
    rows = [rows[i % len(rows)] for i in range(n)] if rows else rows
    return torch.stack(rows) if rows else X[:0]


@contextmanager
def no_global_randomness() -> Iterator[None]:
    """Fail if the block moves the generator of torch, of NumPy or of Python."""
    before = torch.get_rng_state(), pickle.dumps(np.random.get_state()), random.getstate()  # noqa: NPY002
    yield
    assert torch.equal(torch.get_rng_state(), before[0]), "torch's global generator was used"
    numpy_state = pickle.dumps(np.random.get_state())  # noqa: NPY002
    assert numpy_state == before[1], "NumPy's global generator was used"
    assert random.getstate() == before[2], "Python's global generator was used"
