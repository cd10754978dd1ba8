"""Text without meaning, as long as wanted: short common words, most of them one token to most engines."""

from __future__ import annotations

import hashlib
import random
from functools import cache

_WORDS = (
    "the of and to in is you that it he was for on are as with his they I at be this have from or one had "
    "by word but not what all were we when your can said there use an each which she do how their if will "
    "up other about out many then them these so some her would make like him into time has look two more "
    "write go see number no way could people my than first water been call who oil its now find long down "
    "day did get come made may part over new sound take only little work know place year live me back "
    "give most very after thing our just name good man think say great where help through much before "
    "line right too mean old any same tell boy follow came want show also around form three small set put "
    "end does another well large must big even such because turn here why ask went men read need land "
    "different home us move try kind hand picture again change off play spell air away animal house point "
    "page letter mother answer found study still learn should world high every near add food between own "
    "below country plant last school father keep tree never start city earth eye light thought head under "
    "story saw left few while along might close something seem next hard open example begin life always "
    "those both car night walk white sea began grow river four carry state once book stop second later "
    "miss idea enough face "
)
VOCABULARY = tuple(dict.fromkeys(_WORDS.split()))[:256]
assert len(VOCABULARY) == 256, "a byte of a digest names a word"
_POOL_WORDS = 1 << 16
_KEY_WORDS = 8  # of 8 bits each: no two texts begin alike, so that no prefix is shared that should not be


def text_of(key: str, n_words: int) -> str:
    """Return ``n_words`` words; equal keys begin alike, different ones differ within the first words."""
    if n_words < 1:
        return ""
    digest = hashlib.sha256(key.encode()).digest()
    opening = [VOCABULARY[byte] for byte in digest[: min(_KEY_WORDS, n_words)]]
    pool, ends = _pool()
    at = int.from_bytes(digest[8:12], "big") % _POOL_WORDS
    left = n_words - len(opening)
    parts = [" ".join(opening)]
    while left > 0:
        taken = min(left, _POOL_WORDS - at)
        parts.append(pool[ends[at] : ends[at + taken]])
        left, at = left - taken, 0
    return "".join(parts)


@cache
def _pool() -> tuple[str, list[int]]:
    """Return a long text, each word with a blank before it, and where each word of it begins."""
    chosen = random.Random("joulemark words 1").choices(VOCABULARY, k=_POOL_WORDS)
    ends = [0]
    for word in chosen:
        ends.append(ends[-1] + 1 + len(word))
    return "".join(f" {word}" for word in chosen), ends
