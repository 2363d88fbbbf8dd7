"""One HTML page that tells what a study found, how sure that is, and what to do next."""

from neuralbo.reporting.page.page import render, write

__all__ = ["render", "write"]
