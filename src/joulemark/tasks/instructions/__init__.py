"""Checks of instructions that a program can verify: whether a reply does what its prompt demands of its form.

The 25 instructions are those of Zhou et al. 2023, "Instruction-Following Evaluation for Large Language
Models" (arXiv 2311.07911), written from its definitions. Where the published program and the words of an
instruction part, the words count; each such place is named in the docstring of its check. No text raises, and
every check runs in time linear in the reply.
"""

from joulemark.tasks.instructions.catalogue import (
    KNOWN_IDS,
    Instruction,
    check_known,
    followed,
    parse_instructions,
)
from joulemark.tasks.instructions.language import missing_requirement

__all__ = [
    "KNOWN_IDS",
    "Instruction",
    "check_known",
    "followed",
    "missing_requirement",
    "parse_instructions",
]
