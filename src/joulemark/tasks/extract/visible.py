"""The part of a reply that counts, in one alphabet, with the way back to the original text.

Thinking is taken out, the reply is cut where the model goes on with a next few-shot question, and characters
are folded (NFKC, minus signs, digits of all scripts, white space), so that the rules see plain text only. Of
a reply longer than any answer only the end is read, so that a model run wild costs the grader no minutes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from joulemark.tasks.extract.turns import next_turn

_THINK_TAG = re.compile(
    r"(?P<open><(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>\s{0,4}analysis)"
    r"|(?P<close></(?:think|thinking|thought|reasoning|reflection)>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>\s{0,4}final(?:<\|message\|>)?)",
    re.IGNORECASE,
)
LONGEST = 200_000
"""How many visible characters of a reply are read; of a longer one, its last ones."""
_FOLDED = {
    "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-",  # minus, hyphens, en dash
    "\u2044": "/", "\u2215": "/",
    "\u066b": ".", "\u066c": ",",
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\r": "\n",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Visible:
    """Folded text; ``offsets[i]`` is where character i stands in the reply (one entry more)."""

    text: str
    offsets: Sequence[int]
    open_thinking: bool
    is_cut: bool = False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of folded ``[start, end)`` in the original reply."""
        if end <= start:
            return self.offsets[start], self.offsets[start]
        return self.offsets[start], self.offsets[end - 1] + 1

    def is_last(self, end: int, also: str = "") -> bool:
        """Tell whether the reply ends at folded position ``end``, white space and ``also`` apart."""
        return not self.is_cut and not self.text[end:].strip(also + " \t\n")


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    if char in _FOLDED:
        return _FOLDED[char]
    if unicodedata.category(char) == "Cf":  # zero-width and direction marks
        return ""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    folded = unicodedata.normalize("NFKC", char)
    kind = unicodedata.decomposition(char).split(" ", 1)[0]
    if kind == "<fraction>":  # "1½" is 1 1/2, not 11/2
        return " " + folded.replace("\u2044", "/")
    if kind == "<super>":  # 10³ is no 103
        return "^" + folded.replace("\u2212", "-")
    return folded.replace("\u2212", "-")


def kept_ranges(answer: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the ranges outside thinking, and whether a thinking block was left open."""
    kept: list[tuple[int, int]] = []
    start, is_thinking = 0, False
    for tag in _THINK_TAG.finditer(answer):
        if tag["open"] and not is_thinking:
            kept.append((start, tag.start()))
            is_thinking = True
        elif tag["close"]:
            if not is_thinking:  # the opening tag was part of the prompt
                kept.clear()
            start, is_thinking = tag.end(), False
    if not is_thinking:
        kept.append((start, len(answer)))
    return kept, is_thinking


def _join_superscripts(text: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """``10^1^2`` (two superscript characters) becomes ``10^12``."""
    extra = [m.start() for m in re.finditer(r"(?<=\^[\d-])\^(?=\d)", text)]
    if not extra:
        return text, offsets
    drop = set(extra)
    keep = [i for i in range(len(text)) if i not in drop]
    return "".join(text[i] for i in keep), [offsets[i] for i in keep] + [offsets[-1]]


def _shortened(answer: str, kept: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the last `LONGEST` characters of the kept ranges that stand before a next question."""
    before: list[tuple[int, int]] = []
    for start, end in kept:
        cut = next_turn(answer, start, end)
        before.append((start, end if cut is None else cut))
        if cut is not None:
            break
    left, last = LONGEST, []
    for start, end in reversed(before):
        if left <= 0:
            break
        last.append((max(start, end - left), end))
        left -= end - start
    return last[::-1]


def folded(text: str) -> str:
    """Return ``text`` in the alphabet that the rules read."""
    return text if text.isascii() and "\r" not in text else "".join(map(_fold, text))


@lru_cache(maxsize=2)  # a reply is looked at by a rule of its kind, then for a refusal
def visible_part(answer: str) -> Visible:
    """Return the visible part of ``answer``: thinking removed, folded, cut at the next few-shot question."""
    kept, is_open = kept_ranges(answer)
    is_cut = is_open
    if sum(end - start for start, end in kept) > LONGEST:
        last = kept[-1][1]
        kept = _shortened(answer, kept)
        is_cut |= kept[-1][1] != last
    offsets: Sequence[int]
    if answer.isascii() and "\r" not in answer and len(kept) == 1:
        start, end = kept[0]
        text, offsets = answer[start:end], range(start, end + 1)
    else:
        pieces: list[str] = []
        places: list[int] = []
        for start, end in kept:
            for at in range(start, end):
                char = answer[at]
                plain = char if char.isascii() and char != "\r" else _fold(char)
                pieces.append(plain)
                places.extend([at] * len(plain))
        places.append(kept[-1][1] if kept else len(answer))
        text, offsets = _join_superscripts("".join(pieces), places)
    cut = next_turn(text)
    if cut is not None:
        text, offsets = text[:cut], offsets[: cut + 1]
    return Visible(text, offsets, is_open, is_cut or cut is not None)
