"""The log posterior of the hidden weights, the output layer integrated out in closed form.

Notation
    C  chains       n  rows of the data      m  outputs       h  features of the last hidden layer
    q  positions, C x P: those of the hidden weights, the prior's extras, the noise's
    Phi = [z_L, 1]  n x (h + 1)      S  prior variances of an output's weights, a diagonal
    A = Phi sqrt(S)      sigma  sd of the noise      K = A A' + sigma^2 I, n x n
    R = inv(K) A      alpha = inv(K) Y      u = inv(sqrt(S)) (output weights), (h + 1) x m
"""

import math
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.networks.log_posterior import Passes, check_data
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import Noise
from neuralbo.networks.priors import LOG_SQRT_2PI, FixedScales, GroupScales, Prior


class _Solution(NamedTuple):
    """What the evidence and its gradient are made of, for each chain."""

    R: Tensor  # C x n x (h + 1)
    alpha: Tensor  # C x n x m
    quadratic: Tensor  # sum_j y_j' inv(K) y_j, C
    log_determinant: Tensor  # of K, C
    is_sound: Tensor  # whether K is positive definite, C


@final
class CollapsedPosterior:
    """log p(hidden weights, extras | D) up to log p(D), and its gradient: a `Target`.

    = log p(q) + sum_j log N(Y_j; 0, Phi S Phi' + sigma^2 I): given the hidden layers the network
    is a linear model. Its gradient by Phi is (alpha alpha' - m inv(K)) Phi S.
    Rasmussen and Williams (2006), Eq. (2.30), (5.9) and App. A.3; Bishop (2006), Sec. 3.5.
    K is never formed where n > h + 1: then inv(K) A = A inv(A'A + sigma^2 I).
    -inf where K is not positive definite. One object serves one thread: it keeps memory.

    Args:
        net: The network.
        X: n x d.
        Y: n x m.
        prior: Of the weights; Gaussian given its extras: Gaussian, PerLayer, FanIn, Hierarchical.
        noise: Of the observations.

    Raises:
        ValueError: The prior of the output layer has no closed form.
    """

    def __init__(self, net: MLP, X: Tensor, Y: Tensor, prior: Prior, noise: Noise) -> None:
        check_data(net, X, Y)
        self.net, self.prior, self.noise = net, prior, noise
        self._X, self._Y = X.double(), Y.double()
        W, _ = net.layers(torch.empty(1, net.parameters))[-1]
        self._h, self._m = W.shape[-1], net.outputs
        self._hidden = net.parameters - self._m * (self._h + 1)
        density = prior.over(net)
        self._fixed_root: Tensor | None = None
        if isinstance(density, FixedScales):
            W_sd, b_sd = density.sd[self._hidden], density.sd[-1]
            self._fixed_root = torch.cat((W_sd.expand(self._h), b_sd[None]))[None, None]
            self._density: FixedScales | GroupScales = FixedScales(density.sd[: self._hidden])
        elif isinstance(density, GroupScales):
            self._density = density.without(2)
        else:
            raise ValueError(
                "the output layer has a closed form only under a Gaussian prior: Gaussian, "
                f"PerLayer, FanIn or Hierarchical; got {prior}. Use LogPosterior for it."
            )
        self._end = self._hidden + self._density.extras
        self._memory: dict[int, tuple[Passes, Tensor, Tensor, Tensor]] = {}

    def __getstate__(self) -> dict[str, object]:  # memory is not worth a copy, nor its views
        return {**self.__dict__, "_memory": {}}

    @property
    def dimension(self) -> int:
        """The number P of positions of a chain."""
        return self._end + self.noise.extras

    def weights(self, q: Tensor) -> Tensor:
        """Return the hidden weights at q, C x P; C x their number."""
        return self._density.weights(q[:, : self._end])

    def noise_sd(self, q: Tensor) -> Tensor:
        """Return sigma at q, C x P; C."""
        return self.noise.log_sd(q[:, self._end :]).exp()

    def draw_prior(self, s: int, rng: Generator) -> Tensor:
        """Draw positions of s chains from the prior, s x P."""
        return torch.cat((self._density.draw(s, rng), self.noise.draw(s, rng)), -1)

    def __call__(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density, C, and its gradient, C x P; both new tensors."""
        q = q.detach()
        own = q.narrow(1, 0, self._end)
        passes, A, root = self._scaled_features(q)
        log_sd = self.noise.log_sd(q[:, self._end :])
        solution = _solve(A, self._Y, (2 * log_sd).exp())
        # d log N / dA = (alpha alpha' - m inv(K)) A
        by_A = torch.baddbmm(solution.R, solution.alpha, solution.alpha.mT @ A, beta=-self._m)
        passes.features_backward(by_A * root)
        value, gradient = self._density.combine(own, passes.gradient.narrow(1, 0, self._hidden))
        value.add_(solution.quadratic, alpha=-0.5)
        value.add_(solution.log_determinant, alpha=-0.5 * self._m)
        value.sub_(self._Y.numel() * LOG_SQRT_2PI)
        if isinstance(self._density, GroupScales):
            by_scales = (by_A * A).sum(1)  # a scale multiplies its columns of A
            gradient[:, self._end - 2] += by_scales[:, :-1].sum(-1)
            gradient[:, self._end - 1] += by_scales[:, -1]
        if self.noise.extras:
            log_prior, derivative = self.noise.value_and_derivative(log_sd)
            value += log_prior
            by_noise = derivative + self._by_log_sd(solution, A, log_sd)
            gradient = torch.cat((gradient, by_noise[:, None]), -1)
        if not bool(solution.is_sound.all()):
            value = value.where(solution.is_sound, -math.inf)
            gradient = gradient.where(solution.is_sound[:, None], 0.0)
        return value, gradient

    def mean_output(self, q: Tensor) -> Tensor:
        """Return the hidden weights at q and the mean of the output's given them; C x p.

        E[u | D] = A' inv(K) Y = R' Y.  Rasmussen and Williams (2006), Eq. (2.12).
        """
        passes, A, root = self._scaled_features(q)
        solution = _solve(A, self._Y, self.noise_sd(q).square())
        return self._whole(passes, solution.R.mT @ self._Y, root)

    def draw_output(self, q: Tensor, rng: Generator, k: int = 1) -> Tensor:
        """Draw the output weights given the hidden ones, exactly; (C k) x p, chain after chain.

        u = u0 + R' (Y - A u0 - sigma e),  u0 and e standard normal: a draw from the prior,
        led to the data. Matheron's rule, in the space of weights; Wilson et al. (2020), Sec. 3.
        """
        passes, A, root = self._scaled_features(q)
        sigma = self.noise_sd(q)
        R = _solve(A, self._Y, sigma.square()).R
        n, wide = len(self._X), self._h + 1
        u0 = torch.randn(len(q), wide, k * self._m, generator=rng, dtype=torch.float64)
        e = torch.randn(len(q), n, k * self._m, generator=rng, dtype=torch.float64)
        missing = self._Y.repeat(1, k) - A @ u0 - sigma[:, None, None] * e
        return self._whole(passes, u0 + R.mT @ missing, root)

    def _scaled_features(self, q: Tensor) -> tuple[Passes, Tensor, Tensor]:
        """Run the hidden layers; return them, A, C x n x (h + 1), and sqrt(S)."""
        C, own = len(q), q.detach().narrow(1, 0, self._end)
        if C not in self._memory:
            A = torch.empty(C, len(self._X), self._h + 1, dtype=torch.float64)
            self._memory[C] = Passes(self.net, C, self._X), A, A[..., :-1], A[..., -1:]
        passes, A, of_features, of_bias = self._memory[C]
        passes.weights.narrow(1, 0, self._hidden).copy_(self._density.weights(own))
        root = self._root(own)
        torch.mul(passes.features(), root[..., :-1], out=of_features)
        of_bias.copy_(root[..., -1:])
        return passes, A, root

    def _root(self, own: Tensor) -> Tensor:
        """sqrt(S), C x 1 x (h + 1), or 1 x 1 x (h + 1) where it is fixed."""
        if self._fixed_root is not None:
            return self._fixed_root
        scales = own[:, self._end - 2 :].exp()
        return torch.cat((scales[:, :1].expand(-1, self._h), scales[:, 1:]), -1)[:, None]

    def _by_log_sd(self, solution: _Solution, A: Tensor, log_sd: Tensor) -> Tensor:
        """sigma^2 tr(alpha alpha' - m inv(K)), C; sigma^2 tr inv(K) = n - tr(R A')."""
        traces = len(self._X) - (solution.R * A).sum((1, 2))
        return (2 * log_sd).exp() * solution.alpha.square().sum((1, 2)) - self._m * traces

    def _whole(self, passes: Passes, u: Tensor, root: Tensor) -> Tensor:
        """Join hidden weights and output weights sqrt(S) u, C x (h + 1) x (k m); (C k) x p."""
        C, k = len(u), u.shape[-1] // self._m
        w = (u * root.mT).mT.reshape(C, k, self._m, -1)
        hidden = passes.weights[:, None, : self._hidden].expand(-1, k, -1)
        return torch.cat((hidden, w[..., :-1].flatten(2), w[..., -1]), -1).flatten(0, 1)


def _solve(A: Tensor, Y: Tensor, variance: Tensor) -> _Solution:
    """Solve with K = A A' + variance I in the smaller of the two spaces; variance C."""
    C, n, wide = A.shape
    Y = Y.expand(C, -1, -1)
    if n <= wide:
        L, info = _factor(A @ A.mT, variance)
        both = torch.cholesky_solve(torch.cat((A, Y), -1), L)
        R, alpha = both[..., :wide], both[..., wide:]
        return _Solution(R, alpha, (Y * alpha).sum((1, 2)), _log_determinant(L), info == 0)
    L, info = _factor(A.mT @ A, variance)
    R = torch.cholesky_solve(A.mT, L).mT
    u = R.mT @ Y
    residual = Y - A @ u
    alpha = residual / variance[:, None, None]
    # y' inv(K) y as a sum of squares: |y - A u|^2 / variance + |u|^2
    quadratic = (residual * alpha).sum((1, 2)) + u.square().sum((1, 2))
    log_determinant = _log_determinant(L) + (n - wide) * variance.log()
    return _Solution(R, alpha, quadratic, log_determinant, info == 0)


def _factor(gram: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
    """Cholesky factor of gram + variance I, and zero where there is one."""
    gram.diagonal(dim1=-2, dim2=-1).add_(variance[:, None])
    L, info = torch.linalg.cholesky_ex(gram)
    return L, info


def _log_determinant(L: Tensor) -> Tensor:
    """Return log |L L'|, C."""
    return 2 * L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
