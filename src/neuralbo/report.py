"""`nb.report`: the page of a study, as text or as a file."""

from neuralbo.reporting.page import render, write

__all__ = ["render", "write"]
