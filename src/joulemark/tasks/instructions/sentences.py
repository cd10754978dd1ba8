"""How many sentences a text has.

The publication counts with Punkt (Kiss and Strunk 2006), a trained splitter. Here the rules are written out.
As there, a line break alone ends no sentence, so a heading without an end mark belongs to the sentence behind
it. Other than there, the number of a list item ("2.") is no sentence.
"""

from __future__ import annotations

import re

# An end mark, what may close behind it, and white space or the end; full-width marks need no white space.
_END = re.compile(
    r"(?P<mark>[.!?…؟।॥]{1,64}+)[\"'”’»›)\]}*_`~]{0,16}+(?=\s|\Z)|(?P<wide>[。！？｡]{1,64}+)[」』”’）]{0,16}+"
)
_BEFORE = re.compile(r"\S{1,32}\Z")
_LIST_MARK = re.compile(
    r"(?:^|\n)[^\S\n]*(?:[>*_#+-]{1,8}[^\S\n]*)?[*_]{0,3}(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\Z"
)
_DOTTED = re.compile(r"(?:[a-z]\.){1,6}[a-z]")
_NEXT = re.compile(r"[\s\"'“‘(\[*_#>-]{0,32}+(?P<word>\w+)?")
_WORD = re.compile(r"\w")
# A name follows these, or the sentence goes on.
_NEVER_LAST = """
mr mrs ms mx dr prof st messrs mme mlle vs cf viz al approx dept univ e.g i.e p.s p.p.s
"""
# The same, where they are written with a capital ("Gen. Lee", but "the next gen.").
_TITLES = "rev hon mt sgt capt col gen lt cmdr gov sen rep pres maj adm"
# A number follows these where they are abbreviations ("No. 5", but "No.").
_BEFORE_NUMBER = """
no nos vol vols p pp ch sec fig figs eq eqs ref refs art ca jan feb mar apr jun jul aug sep sept oct nov dec
"""
# These end a sentence where the next word is one that sentences begin with.
_AT_TIMES_LAST = "etc inc ltd co corp llc jr sr esq ave blvd rd bros ph.d a.m p.m ed eds"
_BEGINNERS = """
a an the this that these those there here he she it they we i you my your his her its our their in on at by
for from with to as if when while after before since because although though however but and or so then thus
hence therefore what who whom whose which why how where no not yes all some many most each every one both
another other also even still yet now once finally first second third next please let do does did is are was
were will would can could should may might must have has had
"""
_NEVER, _TITLE, _NUMBERED, _EITHER, _FIRST = (
    frozenset(words.split()) for words in (_NEVER_LAST, _TITLES, _BEFORE_NUMBER, _AT_TIMES_LAST, _BEGINNERS)
)


def count_sentences(text: str) -> int:
    """Return the number of sentences; what is left behind the last end mark is one if it has a word."""
    count = start = 0
    has_word = False
    for end in _END.finditer(text):
        has_word = has_word or _WORD.search(text, start, end.start()) is not None
        start = end.end()
        if has_word and _is_end(text, end):
            count += 1
            has_word = False
    return count + (has_word or _WORD.search(text, start) is not None)


def _is_end(text: str, end: re.Match[str]) -> bool:
    mark = end["mark"]
    if mark is None or not set(mark) <= {".", "…"}:
        return True
    following = _NEXT.match(text, end.end())
    word = following["word"] if following else None
    if mark != ".":  # an ellipsis; the sentence goes on where a small letter follows
        return word is None or not word[0].islower()
    before = _BEFORE.search(text, max(0, end.start() - 32), end.start())
    last = before[0].lstrip("\"'“‘([{*_") if before else ""
    if not last or _LIST_MARK.search(text, max(0, end.start() - 32), end.start()):
        return False
    small = last.lower()
    if small in _NEVER or (small in _TITLE and last[0].isupper()):
        return False
    if small in _NUMBERED and word is not None and word[0].isdigit():
        return False
    if small in _EITHER or _DOTTED.fullmatch(small) or (len(last) == 1 and last.isupper()):
        return word is not None and word[0].isupper() and word.lower() in _FIRST
    return True
