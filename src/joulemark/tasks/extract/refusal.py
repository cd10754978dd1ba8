"""A refusal in words: "I'm sorry, but I can't help with that." English only.

Strict, because a refusal is a verdict of its own: it must be the reply's opening sentence (an apology of its
own may stand before it), in the first person, and decline to help, to answer or to comply. Not knowing, not
having enough information and "I cannot answer 1 of these" are no refusals; nor is a sentence that goes on
with "but".
"""

from __future__ import annotations

import re

from joulemark.tasks.extract.visible import visible_part

# Every repetition is bounded, and only the beginning of the reply is looked at.
_OPENING = 600
_APOLOGY = (
    r"(?:(?:(?:I am|I'm|we are|we're) (?:(?:so|very|truly|really|deeply|terribly) )?sorry|(?:so )?sorry"
    r"|(?:I|we) (?:do )?apologi[sz]e|(?:my )?apologies|unfortunately|I regret(?: to say)?(?: that)?)"
    r"(?: (?:for|about) [^.,!?\n]{1,60})?"
    r"(?:, (?:but|however,?)|[,.!;:-]| but| -)* )"
)
_AS_WHAT = (
    r"(?:as an? (?:(?:large|responsible|helpful) )?"
    r"(?:AI|artificial intelligence|language model)[^.,!?\n]{0,60},? )"
)
_CANNOT = (
    r"(?:I|we)(?: (?:really|simply|just|also|must|have to|do))?"
    r"(?: (?:cannot|can not|can't|could not|couldn't|won't|will not|decline|refuse)"
    r"|(?: am|'m| are|'re) (?:unable|not able|not allowed|not permitted|not comfortable|not going|unwilling)"
    r"|(?: not| don't) feel comfortable)"
    r"(?: to)?(?: (?:in good conscience|ethically|directly|therefore|really|knowingly))?"
)
_THIS = (
    r"(?:that|this|it|these|those|such|your|any|the (?:question|request|prompt|task)|(?:any )?questions?)\b"
    r"(?! (?:without|until|unless|because (?:there|it|the)))"
)
_HELP = (
    r"(?:help|assist|comply|cooperate|participate|engage)(?:ing)?(?! but\b)\b"
    r"|(?:answer|respond to|address|fulfil+|complete|process|discuss|do|continue(?: with)?"
    r"|support|encourage|facilitate)(?:ing)? " + _THIS + r"|(?:answer|respond|continue)(?=\s*(?:[.!]|$))"
    r"|(?:provide|give|offer|share|create|generate|write|produce|assist with|engage in)(?:ing)? "
    r"(?:you (?:with )?)?(?:that|this|such|any|(?:an )?answers? to (?:that|this|your)|assistance|help"
    r"|guidance|(?:step-by-step )?instructions|(?:medical|legal|financial) advice|advice|content|harmful)\b"
)
_REFUSES = re.compile(
    rf"[\s\"'*_]{{0,8}}{_APOLOGY}{{0,2}}{_AS_WHAT}?(?:but )?{_CANNOT} (?:{_HELP})(?P<rest>[^.!?\n]{{0,400}})",
    re.IGNORECASE,
)
# What takes a refusal back, or makes it a lack of information.
_QUALIFIED = re.compile(
    r"\b(?:but|however|without|until|unless|though|although)\b"
    r"|\bnot (?:enough|provided|given|shown)\b|\bmissing\b|\binsufficient\b",
    re.IGNORECASE,
)


def refuses(answer: str) -> bool:
    """Tell whether the visible part of ``answer`` opens with a refusal to help; never raises."""
    opening = " ".join(visible_part(answer).text[:_OPENING].split())
    match = _REFUSES.match(opening)
    return match is not None and not _QUALIFIED.search(match["rest"])
