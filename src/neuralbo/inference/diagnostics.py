"""Whether chains agree, and how many independent draws they are worth.

Notation
    K  draws of a chain       C  chains      x  draws, K x C x ...; all results have shape ...
    n = K // 2  draws, and m = 2 C chains, after each chain is split in two (a middle draw of
    an odd K is left out);  N = n m
    W, B   variance within the chains, and of their means      V = (n - 1)/n W + B
    rho_t  autocorrelation at lag t over all chains, 1 - (W - mean autocovariance at t) / V

A quantity with a draw that is not finite has the answer NaN, and the others are as they would be
without it. So has one that never changes, since it says nothing of how the chains mix: R-hat is
0/0. (ArviZ agrees for R-hat, but gives a constant an ESS of N; here it is NaN, as in the package
`posterior` by the authors of the paper.) Chains that stand still at different places have an
R-hat of infinity and an ESS of about C. One chain will do: its two halves are compared.

Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Bayesian Analysis 16(2); called V21 below.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from neuralbo.inference.chains import Info

LEAST_DRAWS = 4  # two in each half, without which a variance has no sense
BLOM = 3 / 8  # offset of ranks whose normal quantiles are about the expected order statistics
TAILS = (0.05, 0.95)
ROWS = 10  # of the table of a summary


def split_r_hat(draws: Tensor) -> Tensor:
    """Return R-hat, K x C x ... to ...: about 1 for chains that agree; 1.01 is the usual limit.

    sqrt(V / W) of the rank-normalized draws, which sees places that differ, and of the folded
    ones, |x - median|, which sees scales that differ: the larger. V21, Eq. (1)-(4), (14), Sec. 4.
    """
    x = _split(draws)
    folded = (x - x.flatten(0, 1).quantile(0.5, 0)).abs()
    # A folded quantity may be constant when the quantity is not (+1 and -1): fmax leaves it out.
    return torch.fmax(_r_hat(_rank_normalize(x)), _r_hat(_rank_normalize(folded)))


def ess(draws: Tensor) -> Tensor:
    """Return the effective number of draws for the mean, K x C x ... to ....

    N / tau,  tau = 1 + 2 sum_t rho_t, cut off by Geyer's initial monotone sequence: pairs
    rho_2k + rho_2k+1 as long as they are positive, none above the one before; and one half of the
    next rho_2k if positive, which helps antithetic chains. At most N log10(N). V21, Sec. 3.2.
    """
    return _ess(_split(draws))


def bulk_ess(draws: Tensor) -> Tensor:
    """Return the ESS of the rank-normalized draws, the same for any rising map of them.

    It exists also for a quantity without variance. V21, Sec. 4.
    """
    return _ess(_rank_normalize(_split(draws)))


def tail_ess(draws: Tensor) -> Tensor:
    """Return the smaller ESS of the indicators x <= q for q the 5 % and 95 % quantiles.

    V21, Sec. 4. An indicator that is constant, as for a quantity of few values, is left out.
    """
    x = _checked(draws)
    quantiles = x.flatten(0, 1).quantile(x.new_tensor(TAILS), 0)  # 2 x ...
    is_missing = ~x.isfinite().all(0).all(0)
    low, high = (_ess(_split((x <= q).to(x))) for q in quantiles)
    return torch.fmin(low, high).masked_fill(is_missing, math.nan)


def mcse(draws: Tensor) -> Tensor:
    """Return the Monte Carlo standard error of the mean, sd / sqrt(ess).  V21, Sec. 3.2."""
    return _checked(draws).flatten(0, 1).std(0) / ess(draws).sqrt()


class Summary(NamedTuple):
    """What chains did and what they say, for people: `print` shows a table.

    Attributes:
        draws: K.
        acceptance: mean of each chain, C.
        divergences: number in each chain, C.
        steps: evaluations of the gradient of each chain, C.
        names: of the p quantities; the fields below have one value for each.
    """

    draws: int
    acceptance: Tensor
    divergences: Tensor
    steps: Tensor
    names: tuple[str, ...]
    mean: Tensor
    sd: Tensor
    mcse: Tensor
    r_hat: Tensor
    bulk_ess: Tensor
    tail_ess: Tensor

    def __str__(self) -> str:
        """Return the chains in a line, and the quantities of the largest R-hat first."""
        order = self.r_hat.nan_to_num(nan=math.inf).argsort(descending=True, stable=True)
        rest = len(order) - ROWS
        return "\n".join(
            [
                self._head(),
                f"{'':12}" + "".join(f"{name:>11}" for name in COLUMNS),
                *(self._row(int(i)) for i in order[:ROWS]),
                *([f"... and {rest} with smaller R-hat"] if rest > 0 else []),
            ]
        )

    def _head(self) -> str:
        a, chains = self.acceptance, len(self.acceptance)
        return (
            f"{chains} chains of {self.draws} draws; acceptance {a.mean():.2f} "
            f"({a.min():.2f} to {a.max():.2f}); {int(self.divergences.sum())} divergences; "
            f"{int(self.steps.sum())} gradients"
        )

    def _row(self, i: int) -> str:
        places = f"{self.mean[i]:11.4g}{self.sd[i]:11.4g}{self.mcse[i]:11.2g}{self.r_hat[i]:11.3f}"
        return f"{self.names[i]:<12}{places}{self.bulk_ess[i]:11.0f}{self.tail_ess[i]:11.0f}"


COLUMNS = ("mean", "sd", "mcse", "R-hat", "bulk ESS", "tail ESS")


def summarize(draws: Tensor, info: Info, names: Sequence[str] = ()) -> Summary:
    """Summarize draws, K x C x p, and what the transitions did, each field of `info` K x C.

    Args:
        draws: after warm-up.
        info: of the same transitions, stacked.
        names: of the quantities; q0, q1, ... if there are none.
    """
    x = _checked(draws)
    if x.ndim != 3 or info.acceptance.shape != x.shape[:2]:
        raise ValueError(
            "draws must be K x C x p and each field of info K x C, got shapes "
            f"{tuple(x.shape)} and {tuple(info.acceptance.shape)}."
        )
    if names and len(names) != x.shape[-1]:
        raise ValueError(f"expected {x.shape[-1]} names, one a quantity, got {len(names)}.")
    return Summary(
        draws=len(x),
        acceptance=info.acceptance.to(x).mean(0),
        divergences=info.is_divergent.sum(0),
        steps=info.steps.sum(0),
        names=tuple(names) or tuple(f"q{i}" for i in range(x.shape[-1])),
        mean=x.mean((0, 1)),
        sd=x.flatten(0, 1).std(0),
        mcse=mcse(x),
        r_hat=split_r_hat(x),
        bulk_ess=bulk_ess(x),
        tail_ess=tail_ess(x),
    )


def _checked(draws: Tensor) -> Tensor:
    if draws.ndim < 2 or draws.shape[0] < LEAST_DRAWS or draws.shape[1] < 1:
        raise ValueError(
            f"draws must be K x C x ..., at least {LEAST_DRAWS} draws of at least one chain, "
            f"got shape {tuple(draws.shape)}."
        )
    return draws.detach().to(torch.float64)


def _split(draws: Tensor) -> Tensor:
    """Return n x m x ...: the first and the last half of each chain."""
    x, half = _checked(draws), len(draws) // 2
    return torch.cat([x[:half], x[-half:]], 1)


def _rank_normalize(x: Tensor) -> Tensor:
    """Return the normal quantiles of the ranks among all N draws; equal ones share a mean rank.

    z = Phi^-1((r - 3/8) / (N + 1/4)).  V21, Eq. (14), with Blom's denominator.
    """
    N = x.shape[0] * x.shape[1]
    ordered, order = x.reshape(N, -1).mT.sort(-1)  # quantities x N
    place = torch.arange(N, device=x.device).expand(order.shape)
    is_new = ordered.diff(dim=-1) != 0
    first = (place[:, 1:] * is_new).cummax(-1).values  # of those equal to it
    first = torch.cat([place[:, :1], first], -1)
    last = torch.where(is_new, place[:, :-1], N - 1).flip(-1).cummin(-1).values.flip(-1)
    last = torch.cat([last, place[:, -1:]], -1)
    rank = torch.empty_like(ordered).scatter_(-1, order, (first + last).to(x) / 2 + 1)
    z = torch.special.ndtri((rank - BLOM) / (N - 2 * BLOM + 1))
    return torch.where(x.isfinite(), z.mT.reshape(x.shape), math.nan)


def _is_known(x: Tensor) -> Tensor:
    """Return where a quantity is finite and not constant."""
    values = x.flatten(0, 1)
    return values.isfinite().all(0) & (values.amax(0) > values.amin(0))


def _r_hat(x: Tensor) -> Tensor:
    # Rounding in the mean must not give a chain that stands still a variance.
    within = torch.where(x.amax(0) > x.amin(0), x.var(0), 0.0).mean(0)
    n, between = len(x), x.mean(0).var(0)
    value = ((n - 1) / n + between / within).sqrt()
    return torch.where(_is_known(x), value, math.nan)


def _ess(x: Tensor) -> Tensor:
    n, N = len(x), x.shape[0] * x.shape[1]
    covariance = _autocovariance(x).mean(1)  # n x ...
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + x.mean(0).var(0)  # V
    rho = 1 - (within - covariance) / total
    rho = torch.cat([torch.ones_like(rho[:1]), rho[1:]])
    even = rho[0 : n - 1 : 2]
    pairs = even + rho[1:n:2]
    is_kept = (pairs > 0).cumprod(0)
    count = is_kept.sum(0, keepdim=True)  # of pairs; the next one, if any, is the first negative
    after = even.gather(0, count.clamp(max=len(pairs) - 1))[0].clamp(min=0)
    tau = 2 * (pairs.cummin(0).values * is_kept).sum(0) - 1
    tau = tau + torch.where(count[0] < len(pairs), after, 0.0)
    return torch.where(_is_known(x), N / tau.clamp(min=1 / math.log10(N)), math.nan)


def _autocovariance(x: Tensor) -> Tensor:
    """Return the autocovariances at lags 0 to n - 1 of each chain, divided by n, by FFT."""
    n = len(x)
    size = 2 ** math.ceil(math.log2(2 * n))  # zeros behind, so that the ends do not meet
    spectrum = torch.fft.rfft(x - x.mean(0), size, dim=0)
    products: Tensor = torch.fft.irfft(spectrum.abs().square(), size, dim=0)
    return products[:n] / n
