"""The default with one part more or less, to show what each is worth.

auto_stacked     the mixture of several surrogates by stacking weights in the place of `gp`
auto_calibrated  standard deviations of `gp` corrected by its own left-out residuals
auto_pool        more candidate models
auto_always      scores for each trial, and not at 8, 12, 18, 27, ... only
auto_unwarped    no log warp of the outputs
auto_no_region   `gp` in high dimension, too
"""

from dataclasses import replace

from neuralbo.catalog import SURROGATES, standard
from neuralbo.policies import Auto, Candidate
from neuralbo.policies.policy_presets import AUTO
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.wrappers.stacked import Member, Stacked

_MORE = ("brvfl2", "brvfl4", "neural_linear", "random_forest")
_MARGIN = 6.0  # as of the warps


def _each(surrogate: Surrogate) -> Auto:
    candidates = (
        replace(c, standard=replace(c.standard, surrogate=surrogate)) for c in AUTO.candidates
    )
    return replace(AUTO, candidates=tuple(candidates))


_POOL = tuple(Candidate(name, standard(name), margin=_MARGIN) for name in _MORE)

ABLATIONS: dict[str, Auto] = {
    "auto_stacked": _each(SURROGATES["stacked"]),
    "auto_calibrated": _each(Stacked((Member("gp", SURROGATES["gp"]),))),
    "auto_pool": replace(AUTO, candidates=AUTO.candidates + _POOL),
    "auto_always": replace(AUTO, on_schedule=False),
    "auto_unwarped": replace(AUTO, candidates=tuple(c for c in AUTO.candidates if c.warp == 0)),
    "auto_no_region": replace(AUTO, dimensions=10**9),
}
