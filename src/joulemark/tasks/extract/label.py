"""One of a closed set of words (Yes or No, valid or invalid) as the answer of a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence

from joulemark.tasks.extract.denial import correction_end
from joulemark.tasks.extract.found import Extraction, Rule
from joulemark.tasks.extract.marker import Mark, boxed, declines, hashes, json_answers, phrases
from joulemark.tasks.extract.mentions import Labels, Mention
from joulemark.tasks.extract.visible import visible_part

# What may stand between "the answer is" and the label.
_FILLER = re.compile(
    r"(?:[\s*_\"'`(\[{$:=>-]|\\(?:text(?:bf)?|mathrm|boxed)\{"
    r"|\b(?:the|that|it|this|is|be|indeed|therefore|thus|then|just|simply|clearly|definitely)\b){0,24}+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")
# A label that begins a sentence and ends a clause: "Yes, because …", "**No**".
_OPENS = re.compile(r"(?:^|[\n.!?:>])[\s*_\"'`(\[#>-]{0,8}$")
_CLOSES = re.compile(r"[*_\"'`)\]}]{0,4}\s?(?:[.,!;\n(-]|$|\b(?:because|since|as)\b)")
_CUE = re.compile(
    r"(?:\b(?:so|thus|hence|therefore|conclude|concluded|is|are|was|be|it's|that's|to|as|say|equals|becomes"
    r"|remains|mean|meant|guess|choose|pick|select|with|but)\b[:,]?|[=→]|[=-]>)\s{0,3}"
    r"(?:(?:the|a|an|also|indeed|therefore|clearly|simply|thus|that|definitely|deductively|logically)\s){0,3}"
    r"[*_\"'`(\[{$]{0,6}$",
    re.IGNORECASE,
)
_PRAISED = re.compile(
    r"[)\]*_\"'.]{0,4}\s(?:is|seems|would be) (?:the )?(?:most )?(?:likely )?(?:final )?"
    r"(?:correct|right|best|answer)\b",
    re.IGNORECASE,
)
_LOOK_BACK = 48


def _in_field(text: str, mark: Mark, labels: Labels) -> Mention | None:
    """Read what stands at a marker; a mention without label where it names several labels or denies one."""
    filler = _FILLER.match(text, mark.start, mark.end)
    start = filler.end() if filler else mark.start
    if letter := labels.letter_at(text, start, mark.end):
        return letter
    found = _SENTENCE_END.search(text, start, mark.end)
    mentions = labels.mentions(text, mark.start, found.start() if found else mark.end)
    if not mentions:
        return None
    if mentions[0].start == start and mentions[0].is_plain:
        return mentions[0]
    plain = [mention for mention in mentions if mention.is_plain]
    is_one = len({mention.label for mention in plain}) == 1 and not any(m.is_joined for m in mentions)
    return plain[-1] if is_one else mentions[-1].without_label()


def _states(text: str, mention: Mention) -> bool:
    """Tell whether a mention outside a marker says that the label is the answer."""
    before = text[max(0, mention.start - _LOOK_BACK) : mention.start]
    opens = _OPENS.search(before if mention.start > _LOOK_BACK else "\n" + before)
    if opens and _CLOSES.match(text, mention.end):
        return True
    return bool(_CUE.search(before) or _PRAISED.match(text, mention.end))


def _weak(text: str, labels: Labels, start: int = 0) -> tuple[Mention, Rule] | None:
    """Return the last statement in words; without one, the only label that is mentioned at all."""
    mentions = labels.mentions(text, start, len(text))
    stated = [mention for mention in mentions if mention.is_plain and _states(text, mention)]
    if stated:
        last = stated[-1]
        is_taken_back = any(m.is_denied and m.label == last.label and m.start > last.start for m in mentions)
        return None if is_taken_back else (last, Rule.STATEMENT)
    if start or declines(text) or len({mention.label for mention in mentions}) != 1:
        return None
    return (mentions[-1], Rule.LAST) if all(mention.is_plain for mention in mentions) else None


def _find(text: str, labels: Labels) -> tuple[Mention, Rule] | None:
    if answers := json_answers(text):
        found = _in_field(text, answers[-1], labels)
        return (found, Rule.JSON) if found else None
    for mark in reversed(boxed(text)):
        if found := _in_field(text, mark, labels):
            return found, Rule.BOXED
    marked = [(_in_field(text, mark, labels), mark.rule) for mark in (*hashes(text), *phrases(text))]
    fields = [(found, rule) for found, rule in marked if found]
    if not fields:
        return _weak(text, labels)
    # Labels are words of every day ("False: it is true that …"), so what follows a marked answer is no
    # statement, unless the model says that it corrects itself.
    last = max(fields, key=lambda field: field[0].start)
    correction = correction_end(text, last[0].end)
    corrected = None if correction is None else _weak(text, labels, correction)
    return corrected or last


def extract_label(answer: str, options: Sequence[tuple[str, str]]) -> Extraction:
    """Find which label of ``options``, (label, text) pairs, ``answer`` gives; never raises.

    Whole words in either case; the text stands for its label. The last statement wins. No value where two
    labels are joined by and/or, or where the only thing said of a label is that it is not the answer ("not
    true" is not taken for "false": a reply may go on to say so).
    """
    visible = visible_part(answer)
    found = _find(visible.text, Labels(options))
    if found is None or found[0].label is None:
        return Extraction(open_thinking=visible.open_thinking)
    mention, rule = found
    return Extraction(
        mention.label,
        rule,
        visible.span(mention.start, mention.end),
        visible.open_thinking,
        visible.is_last(mention.end),
    )
