"""Finding the answer in a reply, by rules that a reader can check: value, rule and span are kept.

Rules are tried in a fixed order: a JSON ``answer``, the last ``\\boxed{}``, the last ``####``, the last
"answer is" phrase (these four are *strong*: the model marked its answer), then weak ones. No rule ever sees
the reference answer, no text raises, and every rule runs in time linear in the reply.
"""

from joulemark.tasks.extract.choice import extract_choice
from joulemark.tasks.extract.formula import extract_formula
from joulemark.tasks.extract.found import Extraction
from joulemark.tasks.extract.label import extract_label
from joulemark.tasks.extract.line import extract_line
from joulemark.tasks.extract.numeric import extract_number
from joulemark.tasks.extract.refusal import refuses
from joulemark.tasks.extract.short import extract_short_text

__all__ = [
    "Extraction",
    "extract_choice",
    "extract_formula",
    "extract_label",
    "extract_line",
    "extract_number",
    "extract_short_text",
    "refuses",
]
