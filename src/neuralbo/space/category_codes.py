"""Few columns for the many levels of a category: words of a Reed-Muller code.

A column for each of thousands of levels makes every fit and every suggestion slow, and a length
scale for each of them cannot be learnt. Words that differ in many places keep levels about equally
far from each other in few columns. Up to 2^22 levels they differ in at least 16 of 64 places, and
most of them in 24 to 40. Muller (1954), Reed (1954): the words are the values of polynomials over
{0,1} in 6 variables, of degree 2 or more. Zeros and ones lie close to 1/2 here, see `SPREAD`.
"""

from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

VARIABLES = 6
LENGTH = 1 << VARIABLES  # columns
# Zeros and ones are 1/2 -+ this. A model that has seen few levels should take others for alike at
# first. So it does with a column a level: levels are sqrt(2) apart then, and length scales grow
# with the root of the number of columns; this is what a thousand such columns give. Beside two
# real parameters the best of 300 levels was missed by 0.68 after 50 trials (mean of 14 seeds),
# with 1/8 by 1.04, and by random search by 1.2 (5 seeds).
SPREAD = 0.03
STRIDE = 40503  # odd, so multiples modulo a power of two are different: neighbours are not alike
MOST_PRODUCTS = 2**24  # products of points and words at a time: 128 MiB

Numbers = npt.NDArray[np.float64]


@lru_cache(maxsize=16)
def words(count: int) -> Tensor:
    """Return the words of so many levels, count x `LENGTH`, all different."""
    generator = _generator(count)
    bits = len(generator)
    messages = np.arange(count, dtype=np.int64) * STRIDE % 2**bits
    coefficients = (messages[:, None] >> np.arange(bits) & 1).astype(np.float64)
    bits_of_words = coefficients @ generator % 2  # sums of ones are exact
    return torch.from_numpy(np.where(bits_of_words == 1, 0.5 + SPREAD, 0.5 - SPREAD))


def _generator(count: int) -> Numbers:
    """Return the values of the monomials whose sums are enough words, bits x `LENGTH`."""
    place = np.arange(LENGTH)
    bits = [place >> i & 1 for i in range(VARIABLES)]
    monomials: list[Numbers] = []
    for degree in range(VARIABLES + 1):
        for chosen in combinations(bits, degree):
            monomials.append(np.prod([np.ones(LENGTH), *chosen], axis=0))
        if degree >= 2 and 2 ** len(monomials) >= count:
            break
    return np.stack(monomials)


def nearest_word(X: Tensor, count: int) -> Tensor:
    """Return the levels whose words are nearest to rows, n x `LENGTH` to n.

    Of equal ones it is the first. All words are equally far from the centre of the cube, so it is
    the one with the largest inner product with the row, seen from there.
    """
    table, rows = words(count), max(1, MOST_PRODUCTS // count)
    return torch.cat([((part - 0.5) @ table.mT).argmax(-1) for part in X.split(rows)])
