"""The published cut-off (slopes of a tracking curve, lowess, kneedle), and the truth beside it."""

from joulemark.frugal.published.cutoff import Cutoff, find_cutoff
from joulemark.frugal.published.frames import Reading
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.study import Null, Study, run_null, study

__all__ = ["Cutoff", "Method", "Null", "Reading", "Study", "find_cutoff", "run_null", "study"]
