"""The default with one part more or less, to show what each is worth.

auto_stacked     the mixture of several surrogates by stacking weights in the place of `gp`
auto_calibrated  deviations of `gp` corrected by its own left-out residuals
auto_pool        more surrogates among which the best is taken
auto_always      a verdict for each trial, and not at 8, 12, 18, 27, ... only
auto_straight    values as they are, never through a curve
auto_no_branches, auto_no_region   without the way for several branches; `gp` in many columns too
auto_one_hill    without the search of other hills
"""

from dataclasses import replace

from neuralbo.catalog import AUTOMATIC, SURROGATES, make_policy
from neuralbo.policies import Automatic, Basins, Policy, Way
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.wrappers.stacked import Member, Stacked

_MORE = ("brvfl2", "brvfl4", "neural_linear", "random_forest")
_HANDICAP = 6.0  # as of the curves


def _with(policy: Policy, surrogate: Surrogate) -> Policy:
    """Return the policy with another surrogate, where it looks for other hills."""
    if not isinstance(policy, Basins):
        return policy
    return replace(policy, inner=replace(policy.inner, surrogate=surrogate))


def _each(surrogate: Surrogate) -> Automatic:
    ways = (replace(way, policy=_with(way.policy, surrogate)) for way in AUTOMATIC.ways)
    return replace(AUTOMATIC, ways=tuple(ways))


def _inner(policy: Policy) -> Policy:
    return policy.inner if isinstance(policy, Basins) else policy


ABLATIONS: dict[str, Automatic] = {
    "auto_stacked": _each(SURROGATES["stacked"]),
    "auto_calibrated": _each(Stacked((Member("gp", SURROGATES["gp"]),))),
    "auto_pool": replace(
        AUTOMATIC,
        ways=AUTOMATIC.ways
        + tuple(
            Way(name, make_policy(name), SURROGATES[name], handicap=_HANDICAP) for name in _MORE
        ),
    ),
    "auto_always": replace(AUTOMATIC, keeps=False),
    "auto_straight": replace(
        AUTOMATIC, ways=tuple(way for way in AUTOMATIC.ways if way.strength == 0)
    ),
    "auto_no_branches": replace(
        AUTOMATIC, ways=tuple(way for way in AUTOMATIC.ways if way.name != "branches")
    ),
    "auto_no_region": replace(AUTOMATIC, columns=10**9),
    "auto_one_hill": replace(
        AUTOMATIC,
        ways=tuple(replace(way, policy=_inner(way.policy)) for way in AUTOMATIC.ways),
    ),
}
