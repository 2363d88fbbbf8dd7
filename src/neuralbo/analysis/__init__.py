"""What a study says about its function: the numbers behind the report and the plots."""

from neuralbo.analysis.landscape import Landscape, NoModelError
from neuralbo.analysis.record import Record
from neuralbo.analysis.study import Analysis

__all__ = ["Analysis", "Landscape", "NoModelError", "Record"]
