"""What a submitted run is worth: facts, marks, physics, comparison with others, rung. Arithmetic alone."""

from joulemark.board.judging.facts import RunFacts, facts_of_json
from joulemark.board.judging.facts_of_bundle import facts_of
from joulemark.board.judging.judgement import Ground, Judgement, judge
from joulemark.board.judging.likeness import reproduces
from joulemark.board.judging.marks import COPY_SHARE, marks_of, share_of_marks
from joulemark.board.judging.rung import Evidence, Rung, rung_of

__all__ = [
    "COPY_SHARE",
    "Evidence",
    "Ground",
    "Judgement",
    "RunFacts",
    "Rung",
    "facts_of",
    "facts_of_json",
    "judge",
    "marks_of",
    "reproduces",
    "rung_of",
    "share_of_marks",
]
