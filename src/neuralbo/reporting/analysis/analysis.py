"""Everything that can be learnt from a study, each part worked out when it is first asked for."""

from functools import cached_property
from typing import final

from neuralbo.engine.threads import one_thread
from neuralbo.reporting.analysis.advice import Hint, advice
from neuralbo.reporting.analysis.calibration import Calibration, calibration
from neuralbo.reporting.analysis.expected_gain import ExpectedGain, expected_gain
from neuralbo.reporting.analysis.failure_regions import Where, reasons, where
from neuralbo.reporting.analysis.importance import (
    Ablation,
    Shares,
    ablation,
    highest_shares,
    shares,
)
from neuralbo.reporting.analysis.landscape import Landscape, NoModelError, landscape
from neuralbo.reporting.analysis.record import Record
from neuralbo.reporting.analysis.slices import Map, Slice, map_of, slice_of
from neuralbo.reporting.analysis.study_like import Source

MOST_SLICES = 12  # parameters of which slices are taken: those that matter most
MAPPED = 3  # parameters of which each pair is mapped


@final
class Analysis:
    """What a study says. It is read once; later trials need another analysis.

    Args:
        study: one of Optuna's and of any sampler, a `Result` or an `Optimizer`.
        output: which objective is modelled, of several.
    """

    def __init__(self, study: Source, output: int = 0) -> None:
        self.record, self.output = Record.of(study), output

    @staticmethod
    def of(study: "Source | Analysis") -> "Analysis":
        """Return the analysis of a study; one that is there already as it is."""
        return study if isinstance(study, Analysis) else Analysis(study)

    @cached_property
    def _modelled(self) -> Landscape | NoModelError:
        try:
            return landscape(self.record, self.output)
        except NoModelError as error:
            return error

    @property
    def landscape(self) -> Landscape | None:
        """The model; None if there is none."""
        return None if isinstance(self._modelled, NoModelError) else self._modelled

    @property
    def model(self) -> Landscape:
        """The model.

        Raises:
            NoModelError: there is none; the message says why.
        """
        if isinstance(self._modelled, NoModelError):
            raise self._modelled
        return self._modelled

    @property
    def why_no_model(self) -> str:
        """Why there is no model; empty if there is one."""
        return str(self._modelled) if isinstance(self._modelled, NoModelError) else ""

    @cached_property
    def shares(self) -> list[Shares]:
        """How much of the variance each parameter has, the largest first."""
        with one_thread():
            return shares(self.model)

    @cached_property
    def highest_shares(self) -> dict[str, float]:
        """The upper ends of the intervals of the total shares, by name."""
        with one_thread():
            return highest_shares(self.model)

    @cached_property
    def ablation(self) -> Ablation:
        """The way from the middle of the space to the recommended."""
        return ablation(self.model)

    @cached_property
    def order(self) -> list[int]:
        """The parameters of the space, the one that matters most first."""
        names = self.model.space.names
        return [names.index(share.name) for share in self.shares]

    @cached_property
    def slices(self) -> list[Slice]:
        """The function along those parameters that matter most."""
        return [slice_of(self.model, i) for i in self.order[:MOST_SLICES]]

    @cached_property
    def maps(self) -> list[Map]:
        """The function over pairs of the parameters that matter most."""
        first = self.order[:MAPPED]
        pairs = [(i, j) for k, i in enumerate(first) for j in first[k + 1 :]]
        return [m for m in (map_of(self.model, i, j) for i, j in pairs) if m is not None]

    @cached_property
    def calibration(self) -> Calibration | None:
        """What the model would have said of each trial before it was made."""
        with one_thread():
            return calibration(self.model)

    @cached_property
    def expected_gain(self) -> ExpectedGain | None:
        """What the next trial is expected to improve the best value by; None if nobody knows."""
        return expected_gain(self.record, self.model)

    @cached_property
    def failures(self) -> list[Where]:
        """Where the failures lie."""
        return where(self.record)

    @cached_property
    def reasons(self) -> list[tuple[str, int]]:
        """Why trials failed, and how often."""
        return reasons(self.record)

    @cached_property
    def advice(self) -> list[Hint]:
        """What to do next."""
        return advice(self)
