"""What a study says about its function: the numbers behind the report and the plots."""

from neuralbo.reporting.analysis.analysis import Analysis
from neuralbo.reporting.analysis.landscape import Landscape, NoModelError
from neuralbo.reporting.analysis.record import Record

__all__ = ["Analysis", "Landscape", "NoModelError", "Record"]
