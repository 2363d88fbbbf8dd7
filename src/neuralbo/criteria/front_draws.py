"""Draws of a function that keep the values which they have at some points.

Notation
    B  b x d  points         f_k  draw k of s      z  s x (b + 1)  standard normals
    m, C      mean and covariance of f             L  Cholesky factor of C(B, B)
"""

from typing import Any, final

import torch
from botorch.models.model import Model
from botorch.posteriors import Posterior
from botorch.sampling.get_sampler import get_sampler
from torch import Tensor

from neuralbo.posteriors import FunctionDraws, Marginals
from neuralbo.surrogates.gp.gaussian_process import cholesky_factor
from neuralbo.surrogates.surrogate import GaussianModel


@final
class DrawsGivenBaseline(Model):
    """s draws of one output, of which those values are known that they have at B.

    BoTorch's noisy criteria ask for the distribution over B and a further point at once, for every
    such point anew. Here the draws at B are made once and further points are drawn given them:

        f_k(x) = m(x) + C(x, B) inv(C(B, B)) (f_k(B) - m(B)) + std(x) z_k,

    which is the same distribution, and no covariance of two points that nearly are one is
    decomposed. Models that are a set of functions, or marginals, have the same draws anywhere.
    Others are asked for the joint distribution after all.

    Args:
        model: of one output.
        B: b x d.
        z: see above; models that are not Gaussian draw with the seed instead.
        seed: see above.
    """

    num_outputs = 1

    def __init__(self, model: Model, B: Tensor, z: Tensor, seed: int) -> None:
        super().__init__()
        self.model, self.B, self.z, self.seed = model, B, z, seed
        self.is_gaussian = isinstance(model, GaussianModel)
        with torch.no_grad():
            posterior = model.posterior(B)
            self.is_anywhere = isinstance(posterior, FunctionDraws | Marginals)
            self.values = self._condition() if self.is_gaussian else self._sample(posterior)

    @property
    def batch_shape(self) -> torch.Size:
        """The model is a single one: the empty shape."""
        return torch.Size([])

    def posterior(self, X: Tensor, *unused: Any, **options: Any) -> Posterior:
        """Return the draws at B, or at B and a further point in each t-batch, n x (b + 1) x d."""
        assert not any(unused) and not any(options.values()), "only BoTorch's criteria ask"
        if X.ndim == 2:
            return FunctionDraws(self.values[..., None])
        x = X[:, len(self.B) :].squeeze(-2)
        if self.is_gaussian:
            there = self._given(x)
        elif self.is_anywhere:
            there = self._sample(self.model.posterior(x[:, None])).squeeze(-1)
        else:
            there = self._sample(self.model.posterior(X))[..., -1]
        here = self.values[:, None].expand(-1, len(X), -1)
        return FunctionDraws(torch.cat([here, there[..., None]], -1)[..., None])

    def _sample(self, posterior: Posterior) -> Tensor:
        """Draw with the seed, s x ... x q."""
        sampler = get_sampler(posterior, torch.Size([len(self.z)]), seed=self.seed)  # type: ignore[arg-type]
        drawn: Tensor = sampler(posterior)
        return drawn.squeeze(-1)

    def _condition(self) -> Tensor:
        """Draw at B, s x b, and keep what further points need."""
        assert isinstance(self.model, GaussianModel)
        self.mean, C = self.model.joint(self.B)
        self.size = C.diagonal().amax().clamp(min=torch.finfo(C.dtype).tiny)
        self.L = cholesky_factor(C / self.size)
        e = self.z[:, : len(self.B)]  # f(B) = m + sqrt(size) L e, so inv(C)(f - m) needs L^-T e
        self.weights = torch.linalg.solve_triangular(self.L.mT, e.mT, upper=True)
        values: Tensor = self.mean + self.size.sqrt() * (e @ self.L.mT)
        return values

    def _given(self, x: Tensor) -> Tensor:
        """Draw at further points, n x d to s x n."""
        assert isinstance(self.model, GaussianModel)
        b = len(self.B)
        mean, C = self.model.joint(torch.cat([self.B, x]))
        cross, variance = C[b:, :b] / self.size, C.diagonal()[b:]
        half = torch.linalg.solve_triangular(self.L, cross.mT, upper=False)
        rest = variance - self.size * half.square().sum(0)
        std = rest.clamp(min=torch.finfo(rest.dtype).tiny).sqrt()
        shift = self.size.sqrt() * (cross @ self.weights).mT
        drawn: Tensor = mean[b:] + shift + std * self.z[:, -1:]
        return drawn
