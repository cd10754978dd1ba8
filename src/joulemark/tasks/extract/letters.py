"""Single letters that stand for a choice: which are meant, which are denied, which are joined by and/or."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace

from joulemark.tasks.extract.denial import DENIED_CLAIM
from joulemark.tasks.extract.number import WORD

_LETTER = re.compile(
    rf"(?<!{WORD})(?<!\w[-'])(?<![°#])(?<![A-Za-z]\.)[A-Za-z](?!{WORD})(?!['-]\w)(?!#|\+(?!\s?[A-Z](?!\w)))(?!\.[A-Za-z](?!\w))"
)
_NEXT_WORD = re.compile(r"[^\S\n]{1,3}([^\W\d_]{1,20})")
# Words that may follow a letter that is meant ("A because …"); before any other, "A" is the article and "I"
# the pronoun.
_CLAUSE = re.compile(
    r"(?:is|are|was|were|because|since|as|and|or|nor|but|seems|looks|would|must|should|has|for|due|given|if|being"
    r"|too|also|only|ist|und|oder|weil|et)"
)
_AFTER_I = re.compile(r"(?:is|because|since|and|or|seems|looks|has)")
_DENIED_BEFORE = re.compile(
    rf"(?:{DENIED_CLAIM}answer (?:is|was|must be|would be)"
    r"|\bnot|n't|\bneither|\bnor|\bthan|\bover|\binstead of|\beliminat(?:e|es|ed|ing)"
    r"|\brul(?:e|es|ed|ing) out|\bexclud(?:e|es|ed|ing)|\bexcept|\bunlike"
    r"|\breject(?:s|ed|ing)?|\bnicht|\bno es)"
    r"(?:\s(?:be|either|option|choice|answer|the))?[\s(\[*\"'{]{1,4}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\]}.*:_\"' -]{0,4}\s?(?:"
    r"(?:is|are|was|were|seems?|looks?|would be|must be)\s"
    r"(?:also |all |both |clearly |obviously |definitely |therefore )?"
    r"(?:not\b|wrong|incorrect|false|impossible|out\b|eliminated|ruled out)"
    r"|(?:isn't|aren't|wasn't|can't|cannot|does not|doesn't)\b)",
    re.IGNORECASE,
)
# "A) no B) yes C) no": a verdict behind each letter. A single "B. False" is an option, no verdict.
_VERDICT_AFTER = re.compile(
    r"[).:*_ -]{1,4}(?:(?P<no>no|wrong|false|incorrect)|yes|right|true|correct)\b", re.IGNORECASE
)
_LEAST_VERDICTS = 3
_JOIN = re.compile(
    r"[)\]}*_\"']{0,4}\s{0,2}(?:,?\s{0,2}\b(?:and|or|nor|und|oder|et|ou|y|o)\b|,?\s?&|[,/+])\s{0,2}"
    r"(?:(?:also|option|choice|answer)\s)?[(\[*_\"'{]{0,4}"
)
_NEW_CLAUSE = re.compile(r"[)\]*_\"']{0,4}\s(?:is|was|has|does|would|seems|cannot)\b")
_LISTED = re.compile(r"(?:\)|\*{0,2}[.:])\*{0,2}[^\S\n]+\w")


@dataclass(frozen=True, slots=True)
class Letter:
    """A single letter at ``[start, end)``, in upper case; ``is_denied``: it is said not to be the answer."""

    letter: str
    start: int
    end: int
    is_capital: bool
    is_denied: bool = False


def _is_word(text: str, token: Letter) -> bool:
    """Tell whether the letter is a word of the sentence (the article "A", the pronoun "I")."""
    following = _NEXT_WORD.match(text, token.end)
    if following is None:
        return False
    return (_AFTER_I if token.letter == "I" else _CLAUSE).fullmatch(following[1]) is None


def is_meant(text: str, token: Letter, *, after_answer: bool) -> bool:
    """Tell whether the letter stands for a choice.

    Outside an "answer" phrase only capitals do, and "A" and "I" only where they are no words.
    """
    if not token.is_capital:
        return after_answer and not _is_word(text, token)
    if token.letter == "I" or (token.letter == "A" and not after_answer):
        return not _is_word(text, token)
    return True


def letter_at(text: str, at: int) -> Letter | None:
    """Return the single letter at position ``at``, if there is one."""
    match = _LETTER.match(text, at)
    return _letter(text, match) if match else None


def _letter(text: str, match: re.Match[str]) -> Letter:
    start, end = match.span()
    denied = _DENIED_BEFORE.search(text, max(0, start - 80), start) or _DENIED_AFTER.match(text, end)
    return Letter(match[0].upper(), start, end, match[0].isupper(), denied is not None)


def are_joined(text: str, left: Letter, right: Letter) -> bool:
    """Tell whether two letters are one statement ("A and C"); ", and C is …" begins a new one."""
    between = text[left.end : right.start] if right.start - left.end <= 24 else ""
    if not _JOIN.fullmatch(between) or left.letter == right.letter:
        return False
    return not ("," in between and _NEW_CLAUSE.match(text, right.end))


def meant_letters(text: str) -> list[Letter]:
    """Return the capitals of the text that stand for choices; a denial covers all letters it is joined to.

    Only the last thousand single letters are looked at: no reply reasons about more.
    """
    tokens = [_letter(text, m) for m in deque(_LETTER.finditer(text), maxlen=1000)]
    tokens = [t for t in tokens if is_meant(text, t, after_answer=False)]
    verdicts = [_VERDICT_AFTER.match(text, t.end) for t in tokens]
    if sum(v is not None for v in verdicts) >= _LEAST_VERDICTS:
        tokens = [
            replace(t, is_denied=True) if v and v["no"] else t for t, v in zip(tokens, verdicts, strict=True)
        ]
    for order in (range(1, len(tokens)), range(len(tokens) - 2, -1, -1)):
        step = 1 if order.step < 0 else -1
        for i in order:
            left, right = sorted((tokens[i], tokens[i + step]), key=lambda t: t.start)
            if tokens[i + step].is_denied and are_joined(text, left, right):
                tokens[i] = replace(tokens[i], is_denied=True)
    return tokens


def is_listed(text: str, token: Letter) -> bool:
    """Tell whether the letter heads an option's text: ``B) …``, or ``B. …`` at a line's start."""
    match = _LISTED.match(text, token.end)
    if not match:
        return False
    return match[0].startswith(")") or starts_line(text, token)


def starts_line(text: str, token: Letter) -> bool:
    """Tell whether only signs stand before the letter on its line."""
    before = text[max(0, token.start - 12) : token.start].rsplit("\n", 1)[-1]
    return (len(before) < 12 or token.start == 12) and not any(c.isalnum() for c in before)


def is_alone(text: str, token: Letter) -> bool:
    """Tell whether nothing else but signs stands on the letter's line."""
    end = text.find("\n", token.end, token.end + 12)
    after = text[token.end : end if end >= 0 else token.end + 12]
    return starts_line(text, token) and len(after) < 12 and not any(c.isalnum() for c in after)
