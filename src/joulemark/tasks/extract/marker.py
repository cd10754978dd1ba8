"""Where a reply marks its answer: JSON, ``\\boxed{}``, ``####``, "the answer is"; each opens a scope."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from joulemark.tasks.extract.denial import is_denied_claim
from joulemark.tasks.extract.found import Rule

# "Answer" in the languages that instruction-tuned models like to answer in.
_ANSWER_WORD = (
    r"(?:answers?|ans|antwort|lösung|réponse|reponse|respuesta|solución|risposta|resposta|antwoord|svar|odpowiedź"
    r"|ответ|cevap|答案|答え|解答|回答|정답|답)"
)
_IS = (
    r"(?:\bis(?! not\b)(?: now| therefore| thus)?\b(?!n)|\bare\b(?! not\b)|\bwas\b(?! not\b)"
    r"|\b(?:would|must|should|will) be\b|\bequals\b|\bist\b(?! nicht\b)|\best\b|\bes\b"
    r"|(?<=\s)è\b|(?<=\s)é\b|是|は|為|为|=>|->|→|[:：=]|은|는)"
)
# "answer to the problem", "answer (in hours)", "answer, then,": a short aside between the word and the "is".
_ASIDE = r"(?:\s?\([^()\n]{0,60}\)|,[^,.!?:\n]{0,40},|\s(?:to|of|for|in|that|we|I)\b[^.!?:\n]{0,60}?)?"
_PHRASE = re.compile(
    rf"(?<![^\W\d_])(?<!not )(?<!n't )(?:{_ANSWER_WORD}{_ASIDE}[*_`'\"\s]{{0,4}}{_IS}"
    r"|final(?: result| value)?[*_]{0,2}\s?[:=])",
    re.IGNORECASE,
)
_JSON_KEY = re.compile(r"""(["'])(?:final[_ ]?)?answer\1\s{0,9}:\s{0,9}""", re.IGNORECASE)
_JSON_END = re.compile(r"[}\n]|,\s{0,9}[\"']")
_BOX = re.compile(r"\\f?boxed\s{0,2}\{")
_HASHES = re.compile(r"(?<!#)####(?!#)[^\S\n]*(?:\n\s{0,9})?")


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker: what follows it in ``[start, end)`` is the answer."""

    rule: Rule
    start: int
    end: int


def _scopes(
    text: str, marker: re.Pattern[str], leaves_out: Callable[[str, int], bool] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield where each marker's scope starts and where the next marker begins.

    Scopes of one rule never overlap, so that reading them all stays linear.
    """
    start: int | None = None
    for match in marker.finditer(text):
        if start is not None:
            yield start, match.start()
        start = None if leaves_out and leaves_out(text, match.start()) else match.end()
    if start is not None:
        yield start, len(text)


def json_answers(text: str) -> list[Mark]:
    """Return the values of ``answer`` keys, quotes left out."""
    marks = []
    for start, stop in _scopes(text, _JSON_KEY):
        if text.startswith(('"', "'"), start):
            end = text.find(text[start], start + 1, stop)
            start += 1
            end = stop if end < 0 else end
        else:
            found = _JSON_END.search(text, start, stop)
            end = found.start() if found else stop
        marks.append(Mark(Rule.JSON, start, end))
    return marks


def boxed(text: str) -> list[Mark]:
    """Return the contents of ``\\boxed{…}`` whose braces balance, in order of their opening."""
    opens = {m.end() - 1 for m in _BOX.finditer(text)}
    if not opens:
        return []
    marks, stack = [], []
    for brace in re.finditer(r"(?<!\\)[{}]", text):
        if brace[0] == "{":
            stack.append(brace.start())
        elif stack:
            start = stack.pop()
            if start in opens:
                marks.append(Mark(Rule.BOXED, start + 1, brace.start()))
    return sorted(marks, key=lambda mark: mark.start)


def hashes(text: str) -> list[Mark]:
    """Return what follows each ``####`` to the end of its line (of the next line, where its own is empty)."""
    return [Mark(Rule.HASH, start, line_end(text, start, stop)) for start, stop in _scopes(text, _HASHES)]


def phrases(text: str) -> list[Mark]:
    """Return what follows each "answer is" to the end of its line (the next one, where its own is empty)."""
    marks = []
    for start, stop in _scopes(text, _PHRASE, is_denied_claim):
        end = line_end(text, start, stop)
        if not any(c.isalnum() for c in text[start:end]):
            following = _SOMETHING.search(text, end, stop)
            end = line_end(text, following.start(), stop) if following else stop
        marks.append(Mark(Rule.PHRASE, start, end))
    return marks


def line_end(text: str, start: int, stop: int) -> int:
    """Return where the line of ``start`` ends, at the latest ``stop``."""
    end = text.find("\n", start, stop)
    return stop if end < 0 else end


_SOMETHING = re.compile(r"\S")
_REFUSAL = re.compile(
    r"(?:\b(?:I|we)(?: am|'m)?(?: really| truly)? ?|\A\W{0,4})"
    r"(?:can ?not|can't|could not|couldn't|will not|won't|not able to|unable to)"
    r" (?:\w+ )?(?:answer|help|assist|provide|comply|solve|determine|fulfil|say|tell|do (?:this|that))"
    r"|\bI (?:do not|don't) know\b|\b(?:cannot|can't|can not) be (?:determined|answered|solved)\b"
    r"|\bnot enough information\b",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Tell whether the text says it gives no answer; stray numbers or letters in it are then none."""
    return _REFUSAL.search(text) is not None
