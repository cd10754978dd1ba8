"""The language that a reply must be in."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from joulemark.record.errors import InputError
from joulemark.tasks.instructions.arguments import Arguments, Check

RESPONSE_LANGUAGE = "language:response_language"
REQUIREMENT = "py3langid"
FIX = "pip install 'joulemark[tasks]'"

# The languages that the publication's detector tells apart (ISO 639-1). The detector here knows more, most of
# them seldom written and easily taken for one of these.
_CODES = """
af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt
ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh
"""
_TOLD_APART = frozenset(_CODES.split())


def response_language(arguments: Arguments) -> Check:
    """The whole reply is most likely in the language, by the detector py3langid among 54 languages.

    A reply without a letter is in none; the publication lets it pass.
    """
    wanted = arguments.text("language").strip().lower().split("-")[0]
    if wanted not in _TOLD_APART:
        raise ValueError(f"instruction {arguments.instruction_id}: language {wanted!r} cannot be detected")
    return lambda reply: detected(reply) == wanted


def detected(text: str) -> str | None:
    """Return the code of the likeliest language, null where there is no letter.

    Raises `InputError` where the detector is not installed.
    """
    if not any(sign.isalpha() for sign in text):
        return None
    try:
        detector: Any = importlib.import_module(REQUIREMENT)
    except ImportError as error:
        raise InputError(
            "the language of a reply cannot be told", why=f"{REQUIREMENT} is not installed", fix=FIX
        ) from error
    return next((str(code) for code, _ in detector.rank(text) if code in _TOLD_APART), None)


def missing_requirement(ids: Iterable[str]) -> str | None:
    """Return why instructions with these ids cannot be scored on this machine, null where they can.

    The way out is `FIX`.
    """
    if RESPONSE_LANGUAGE in ids and find_spec(REQUIREMENT) is None:
        return f"{RESPONSE_LANGUAGE} needs {REQUIREMENT}, which is not installed"
    return None
