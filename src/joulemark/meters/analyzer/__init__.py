"""A power analyzer on the mains lead, spoken to in SCPI through VISA: the evidence for tier A.

``finding`` looks at an instrument and leaves it as it was, ``source`` measures with it. ``yokogawa`` knows
the commands of the WT family, ``queried`` sends the queries that the user gives. PyVISA is imported when
an analyzer is named, and not before.
"""

from joulemark.meters.analyzer.finding import find_analyzer
from joulemark.meters.analyzer.source import open_analyzer

__all__ = ["find_analyzer", "open_analyzer"]
