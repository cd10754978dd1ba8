"""Fenced blocks of an answer."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_PYTHON = frozenset({"", "python", "py", "python3", "py3", "python2", "sage", "ipython", "code"})
_OPEN = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`\n]*$")
MAX_BLOCKS = 200


@dataclass(frozen=True, slots=True)
class Block:
    """The text in a fence. ``language`` as written, in lower case; ``is_open``: it is never closed."""

    language: str
    text: str
    is_open: bool = False

    @property
    def may_be_python(self) -> bool:
        """Whether it says that it is Python, or nothing."""
        return self.language in _PYTHON


def blocks_of(text: str) -> list[Block]:
    """Return the fenced blocks of a text in order, `MAX_BLOCKS` at most."""
    found: list[Block] = []
    fence, language, indent = "", "", ""
    inside: list[str] = []
    for line in text.split("\n"):
        if not fence:
            if (opened := _OPEN.match(line)) and len(found) < MAX_BLOCKS:
                indent, fence, language = opened[1], opened[2], opened[3].lower()
                inside = []
            continue
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            found.append(Block(language, _unindented(inside, indent)))
            fence = ""
        elif line.rstrip().endswith(fence) and not line.lstrip().startswith("#"):
            inside.append(line.rstrip().removesuffix(fence))
            found.append(Block(language, _unindented(inside, indent)))
            fence = ""
        else:
            inside.append(line)
    if fence and any(line.strip() for line in inside):
        found.append(Block(language, _unindented(inside, indent), is_open=True))
    return found


def before_first_fence(text: str) -> str:
    """Return what stands before the first fence: the program, where the prompt opened the fence itself."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            return "\n".join(lines[:number])
        if line.rstrip().endswith("```"):
            return "\n".join([*lines[:number], line.rstrip().removesuffix("```")])
    return text


def _unindented(lines: list[str], indent: str) -> str:
    if indent and all(line.startswith(indent) or not line.strip() for line in lines):
        lines = [line[len(indent) :] for line in lines]
    text = "\n".join(lines)
    first = next((line for line in lines if line.strip()), "")
    # a body that is meant to stand in a function keeps its indentation
    if first.startswith((" ", "\t")) and first.lstrip().startswith(
        ("def ", "class ", "import ", "from ", "@")
    ):
        text = textwrap.dedent(text)
    return text.rstrip() + "\n"
