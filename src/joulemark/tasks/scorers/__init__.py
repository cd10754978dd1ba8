"""From a reply to a verdict: one scorer for each kind of question."""

from collections.abc import Mapping
from types import MappingProxyType

from joulemark.tasks.scorers.by_kind import KindScorer
from joulemark.tasks.scorers.choice import ChoiceScorer
from joulemark.tasks.scorers.distribution import DistributionScorer
from joulemark.tasks.scorers.grade import grade
from joulemark.tasks.scorers.instructions import InstructionsScorer
from joulemark.tasks.scorers.label import LabelScorer
from joulemark.tasks.scorers.later import CODE, LATER, LaterScorer
from joulemark.tasks.scorers.line import LineScorer
from joulemark.tasks.scorers.math import MathScorer
from joulemark.tasks.scorers.numeric import NumericScorer
from joulemark.tasks.scorers.rouge import RougeLScorer
from joulemark.tasks.scorers.text import ACCEPTED_SEPARATOR, TextScorer
from joulemark.tasks.scorers.ungraded import UNGRADED, UngradedScorer
from joulemark.tasks.task import Scorer

SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        "numeric": NumericScorer(),
        "math": MathScorer(),
        "choice": ChoiceScorer(),
        "label": LabelScorer(),
        "text": TextScorer(),
        "line": LineScorer(),
        "instructions": InstructionsScorer(),
        "rouge_l": RougeLScorer(),
        "distribution": DistributionScorer(),
        CODE: LaterScorer(),
        UNGRADED: UngradedScorer(),
    }
)
"""The scorer of each kind of question."""

__all__ = [
    "ACCEPTED_SEPARATOR",
    "CODE",
    "LATER",
    "SCORERS",
    "UNGRADED",
    "ChoiceScorer",
    "DistributionScorer",
    "InstructionsScorer",
    "KindScorer",
    "LabelScorer",
    "LaterScorer",
    "LineScorer",
    "MathScorer",
    "NumericScorer",
    "RougeLScorer",
    "TextScorer",
    "UngradedScorer",
    "grade",
]
