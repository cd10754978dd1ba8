"""Mathematical answers: read from LaTeX or plain text, compared by value."""

from joulemark.tasks.scorers.algebra.compare import readings, same_answer
from joulemark.tasks.scorers.algebra.parse import Answer
from joulemark.tasks.scorers.algebra.tidy import canonical_form, squashed

__all__ = ["Answer", "canonical_form", "readings", "same_answer", "squashed"]
