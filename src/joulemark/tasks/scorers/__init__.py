"""From a reply to a verdict: one scorer for each kind of question."""

from collections.abc import Mapping
from types import MappingProxyType

from joulemark.tasks.scorers.by_kind import KindScorer
from joulemark.tasks.scorers.choice import ChoiceScorer
from joulemark.tasks.scorers.grade import grade
from joulemark.tasks.scorers.numeric import NumericScorer
from joulemark.tasks.scorers.text import ACCEPTED_SEPARATOR, TextScorer
from joulemark.tasks.task import Scorer

SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {"numeric": NumericScorer(), "choice": ChoiceScorer(), "text": TextScorer()}
)
"""The scorer of each kind of question."""

__all__ = [
    "ACCEPTED_SEPARATOR",
    "SCORERS",
    "ChoiceScorer",
    "KindScorer",
    "NumericScorer",
    "TextScorer",
    "grade",
]
