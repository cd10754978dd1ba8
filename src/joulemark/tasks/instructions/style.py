"""Letter case, commas, and how a reply starts and ends."""

from __future__ import annotations

import re

from joulemark.tasks.instructions.arguments import Arguments, Check
from joulemark.tasks.instructions.marks import plain

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*+")
_COMMA = re.compile("[,\uff0c\u3001\uff64\u060c\ufe50\ufe51\u055d]")
_QUOTED = frozenset({('"', '"'), ("“", "”"), ("„", "“"), ("„", "”"), ("”", "”"), ("«", "»"), ("＂", "＂")})
_BEHIND_THE_END = "\"'”’“»*_` \t\n"


def english_capital(arguments: Arguments) -> Check:
    """The reply has letters and no small ones; its language is not looked at."""
    return str.isupper


def english_lowercase(arguments: Arguments) -> Check:
    """The reply has letters and no capital ones; its language is not looked at."""
    return str.islower


def capital_word_frequency(arguments: Arguments) -> Check:
    """The number of words all in capitals, "I" and "A" among them, is as asked; "WELL-KNOWN" is one word."""
    holds = arguments.threshold("capital_relation", "capital_frequency")
    return lambda reply: holds(sum(1 for word in _WORD.finditer(reply) if word[0].isupper()))


def no_comma(arguments: Arguments) -> Check:
    """There is no comma, nor one of another script."""
    return lambda reply: _COMMA.search(reply) is None


def quotation(arguments: Arguments) -> Check:
    """The reply starts with a double quotation mark and ends with another, straight, curly or angular."""
    return lambda reply: len(reply) > 1 and (reply[0], reply[-1]) in _QUOTED


def end_checker(arguments: Arguments) -> Check:
    """The reply ends with the phrase, in any case; only closing quotes and markdown may stand behind it."""
    phrase = plain(arguments.text("end_phrase").strip(_BEHIND_THE_END))
    return lambda reply: plain(reply.rstrip(_BEHIND_THE_END)).endswith(phrase)
