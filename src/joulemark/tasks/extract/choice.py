"""A letter as the answer of a reply to a multiple-choice question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from joulemark.tasks.extract.denial import correction_end
from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.letters import (
    Letter,
    are_joined,
    is_alone,
    is_listed,
    is_meant,
    letter_at,
    meant_letters,
    starts_line,
)
from joulemark.tasks.extract.marker import Mark, boxed, declines, hashes, json_answers, phrases
from joulemark.tasks.extract.options import named_option, option_at
from joulemark.tasks.extract.visible import visible_part

# What may stand between "the answer is" and the letter.
_FILLER = re.compile(
    r"(?:[\s*_\"'`(\[{$:=>]++|\\(?:text(?:bf)?\{|boxed\{|mathrm\{|\()"
    r"|\b(?:the|most|more|likely|probably|clearly|definitely|indeed|therefore|thus|then|just|simply|now|is|be"
    r"|correct|right|best|final|option|choice|letter|answer|either|both)\b){0,16}+",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:choos(?:e|ing)|chose|pick(?:ed|ing)?|select(?:ed|ing)?|(?:go|went|going) (?:with|for)"
    r"|opt(?:ed)? for|say|guess|it'?s|it is|must be|should be|so|thus|hence|therefore"
    r"|conclusion|actually|option|choice)\b[,:]?",
    re.IGNORECASE,
)
_PRAISED = re.compile(
    r"[)\]*_\"'.]{0,4}(?: ?[^\n.!?]{0,60}?)?\sis (?:the |most |my |our |therefore |thus |clearly )?"
    r"(?:likely )?(?:the )?(?:final )?(?:correct|right|true|best|answer)\b",
    re.IGNORECASE,
)
_LETTER_MARK = re.compile(r"[).:*_\"'\]]{1,4}\s{0,3}[*_\"'(]{0,3}")
_JOINED = re.compile(r"[^A-Za-z]{0,4}(?:(?:and|or|nor|und|oder|et|ou|y|o)[^A-Za-z]{1,4})?")
_SENTENCE_END = re.compile(r"[)\]*_\"']{0,4}\s{0,2}(?:[.!]|\n|$)")
# "A is correct. B is correct." chooses both.
_BOTH_PRAISED = re.compile(
    r"\b([A-Z])[)*]{0,3} is (?:also )?(correct|right|true)[.,;]?\s{1,3}"
    r"(?:and |also |option |\W){0,4}(?P<second>(?!\1)[A-Z])[)*]{0,3} is (?:also )?\2\b"
)
_NOT_PRONOUN = frozenset("ABCDEFGHJ")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A choice that the reply makes; ``letter`` is null where not offered, one of several or in conflict."""

    letter: str | None
    rule: Rule
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Offer:
    """What was offered: letters, and the texts behind them where they are known."""

    letters: Sequence[str]
    options: Mapping[str, str]

    def contradicts(self, text: str, token: Letter) -> bool:
        """Tell whether another option's text follows the letter ("A) Paris" where B is Paris)."""
        mark = _LETTER_MARK.match(text, token.end)
        named = option_at(text, mark.end(), self.options) if mark else None
        return named is not None and named != token.letter


def _stated(text: str, token: Letter, rule: Rule, offer: _Offer, *, after_answer: bool) -> _Statement:
    join = _JOINED.match(text, token.end)
    other = letter_at(text, join.end()) if join else None
    is_several = (
        other is not None
        and not other.is_denied
        and is_meant(text, other, after_answer=after_answer)
        and are_joined(text, token, other)
    )
    is_clear = token.letter in offer.letters and not is_several and not offer.contradicts(text, token)
    return _Statement(token.letter if is_clear else None, rule, token.start, token.end)


def _in_field(text: str, mark: Mark, offer: _Offer) -> _Statement | None:
    """Read what stands at a marker: a letter in either case, else the text of an option."""
    filler = _FILLER.match(text, mark.start, mark.end)
    token = letter_at(text, filler.end() if filler else mark.start)
    if token and token.end <= mark.end and not token.is_denied and is_meant(text, token, after_answer=True):
        return _stated(text, token, mark.rule, offer, after_answer=True)
    named = named_option(text, mark.start, mark.end, offer.options)
    return _Statement(named.letter, mark.rule, named.start, named.end) if named else None


def _cued(text: str, offer: _Offer) -> list[_Statement]:
    """Return the choices made in words ("I choose D", "so D", "C is correct")."""
    statements = []
    for cue in _CUE.finditer(text):
        filler = _FILLER.match(text, cue.end())
        token = letter_at(text, filler.end() if filler else cue.end())
        if token and not token.is_denied and is_meant(text, token, after_answer=False):
            statements.append(_stated(text, token, Rule.STATEMENT, offer, after_answer=False))
    return statements


def _plain(text: str, tokens: Sequence[Letter], offer: _Offer) -> list[_Statement]:
    """Return the choices made by a line of their own, a single option written out, or "C is correct"."""
    listed = {t.letter for t in tokens if is_listed(text, t) and not t.is_denied}
    return [
        _stated(text, t, Rule.LINE, offer, after_answer=False)
        for t in tokens
        if not t.is_denied
        and (
            is_alone(text, t)
            or (len(listed) == 1 and is_listed(text, t) and starts_line(text, t))
            or _PRAISED.match(text, t.end)
        )
    ]


def _last_letter(text: str, tokens: Sequence[Letter], offer: _Offer) -> _Statement | None:
    """Return the last capital that stands for a choice, the lines of a mere list of options left out."""
    left = [t for t in tokens if not t.is_denied]
    listed = {t.letter for t in left if is_listed(text, t)}
    left = [
        t
        for t in left
        if (t.letter in offer.letters or (t.letter in _NOT_PRONOUN and _SENTENCE_END.match(text, t.end)))
        and not (len(listed) > 1 and is_listed(text, t))
    ]
    if not left:
        return None
    last = left[-1]
    is_several = len(left) > 1 and are_joined(text, left[-2], last)
    is_clear = last.letter in offer.letters and not is_several and not offer.contradicts(text, last)
    return _Statement(last.letter if is_clear else None, Rule.LAST, last.start, last.end)


def _whole(text: str, offer: _Offer) -> _Statement | None:
    """Read a reply that is nothing but one letter, in either case."""
    filler = _FILLER.match(text)
    token = letter_at(text, filler.end() if filler else 0)
    if token and not any(c.isalnum() for c in text[token.end :]):
        return _stated(text, token, Rule.LINE, offer, after_answer=True)
    return None


def _find(text: str, offer: _Offer) -> _Statement | None:
    if answers := json_answers(text):
        return _in_field(text, answers[-1], offer)
    for mark in reversed(boxed(text)):
        if found := _in_field(text, mark, offer):
            return found
    marked = [_in_field(text, mark, offer) for mark in (*hashes(text), *phrases(text))]
    if found := _whole(text, offer):
        return next((m for m in marked if m and m.letter and m.start == found.start), found)
    tokens = meant_letters(text)
    fields = [m for m in marked if m]
    weak = [*_cued(text, offer), *_plain(text, tokens, offer)]
    if fields:
        # An explanation after the marked answer names letters too ("Option B describes …"); none of them is
        # a choice, unless the model says that it corrects itself.
        end = max(m.end for m in fields)
        correction = correction_end(text, end)
        weak = [s for s in weak if s.start < end or (correction is not None and s.start >= correction)]
    statements = [*fields, *weak]
    if statements:
        # The last one counts; of two readings of one letter, max keeps the first, which is the stronger rule.
        last = max(statements, key=lambda s: s.start)
        is_second = any(both.start("second") == last.start for both in _BOTH_PRAISED.finditer(text))
        return replace(last, letter=None) if is_second else last
    if declines(text):
        return None
    if found := _last_letter(text, tokens, offer):
        return found
    named = named_option(text, 0, len(text), offer.options)
    return _Statement(named.letter, Rule.OPTION, named.start, named.end) if named else None


def extract_choice(
    answer: str, letters: Sequence[str] = ("A", "B", "C", "D"), options: Mapping[str, str] | None = None
) -> Extraction:
    """Find which of the offered ``letters`` (capitals) ``answer`` chooses; never raises.

    ``options`` maps letters to the texts of the options, for replies that give the text alone. No value where
    the reply chooses none, several, a letter that was not offered, or one letter with the text of another.
    """
    visible = visible_part(answer)
    found = _find(visible.text, _Offer(letters, options or {}))
    if found is None or found.letter is None:
        return Extraction(open_thinking=visible.open_thinking)
    return Extraction(
        found.letter,
        found.rule,
        visible.span(found.start, found.end),
        visible.open_thinking,
        visible.is_last(found.end),
    )
