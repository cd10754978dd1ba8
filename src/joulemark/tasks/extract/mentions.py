"""Where a text mentions the labels of a closed set: which mentions deny one, which join several."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.tasks.extract.denial import DENIED_CLAIM
from joulemark.tasks.extract.number import WORD
from joulemark.tasks.extract.short import trimmed

MOST_MENTIONS = 1000
# "no reason", "no longer", "No. 5": the word belongs to what follows.
_DETERMINES = re.compile(
    r"\s{1,3}(?!(?:because|since|as|so|and|or|but|it|this|that|the|he|she|they|you|we|if|due|given|is)\b)[^\W\d_]"
    r"|\.\s?\d",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    rf"(?:{DENIED_CLAIM}answer (?:is|was|must be|would be)"
    r"|\bnot|n't|\bnever|\bneither|\bnor|\brather than|\binstead of|\bhardly|\bfar from)"
    r"(?:\s(?:be|a|an|the|necessarily|quite|really|entirely|strictly|logically|deductively|always|considered"
    r"|either|to|the case that|it is|it's|be called)){0,4}[\s\"'*(_`]{1,4}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\]*_\"'`]{0,4}\s(?:(?:is|would be|seems)\s(?:clearly |definitely |also )?(?:not\b|wrong|incorrect)"
    r"|(?:isn't|wouldn't be)\b)",
    re.IGNORECASE,
)
# "Yes and no", "true/false", and labels listed one by one ("- Yes\n- No").
_JOIN = re.compile(
    r"[)\]}*_\"'`.]{0,4}(?:\s{0,2},?\s{0,2}\b(?:and|or|nor)\b\s{0,2}|\s?[/&|,]\s?|\s{1,4}(?:[*•-]\s)?)"
    r"(?:the\s)?[(\[{*_\"'`]{0,4}",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s[^\W\d_]")  # "No, yes would be …" is two clauses
_LONGEST_JOIN = 24
_LOOK_BACK = 80


@dataclass(frozen=True, slots=True)
class Mention:
    """A label at ``[start, end)``; ``label`` is null where a statement names no single one."""

    label: str | None
    start: int
    end: int
    is_denied: bool = False
    is_joined: bool = False

    @property
    def is_plain(self) -> bool:
        """Tell whether the mention neither denies its label nor joins it to another."""
        return not self.is_denied and not self.is_joined

    def without_label(self) -> Mention:
        """Return the mention as a statement that names no single label."""
        return replace(self, label=None)


def _are_joined(text: str, left: Mention, right: Mention) -> bool:
    if left.label == right.label or right.start - left.end > _LONGEST_JOIN:
        return False
    join = _JOIN.fullmatch(text, left.end, right.start)
    return join is not None and not ("," in join[0] and _GOES_ON.match(text, right.end))


class Labels:
    """The labels on offer: (label, text) pairs, either of which may be written for the label."""

    def __init__(self, options: Sequence[tuple[str, str]]) -> None:
        named: dict[str, str] = {}
        self._letters = {label.upper(): label for label, _ in options if len(label) == 1}
        for words_at in (0, 1):
            for option in options:
                words = trimmed(option[words_at]).casefold()
                if len(words) > 1:
                    named.setdefault(words, option[0])
        self._named = named
        longest_first = sorted(named, key=len, reverse=True)
        alternatives = "|".join(re.escape(words).replace(r"\ ", r"\s{1,4}") for words in longest_first)
        self._pattern = re.compile(
            rf"(?<!{WORD})(?<!\w-)(?:{alternatives or '(?!)'})(?!{WORD})", re.IGNORECASE
        )

    def letter_at(self, text: str, start: int, end: int) -> Mention | None:
        """Return the label at ``start`` where labels are single letters."""
        label = self._letters.get(text[start : min(end, start + 1)].upper())
        if label is None or re.match(WORD, text[start + 1 : start + 2]):
            return None
        return Mention(label, start, start + 1)

    def mentions(self, text: str, start: int, end: int) -> list[Mention]:
        """Return the last thousand mentions in ``text[start:end]``, determiners ("no reason") left out."""
        found: list[Mention] = []
        for match in deque(self._pattern.finditer(text, start, end), maxlen=MOST_MENTIONS):
            label = self._named.get(" ".join(match[0].split()).casefold())
            if label is None or (match[0].lower() == "no" and _DETERMINES.match(text, match.end())):
                continue
            before = text[max(start, match.start() - _LOOK_BACK) : match.start()]
            denied = _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(text, match.end())
            mention = Mention(label, *match.span(), is_denied=denied is not None)
            if found and _are_joined(text, found[-1], mention):
                # A denial covers both ("neither true nor false", "not true or false").
                is_denied = found[-1].is_denied or mention.is_denied
                found[-1] = replace(found[-1], is_joined=True, is_denied=is_denied)
                mention = replace(mention, is_joined=True, is_denied=is_denied)
            found.append(mention)
        return found
