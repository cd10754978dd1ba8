"""The 25 instructions by their published ids, and how a question states which of them it gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from joulemark.tasks.instructions import combination, content, keywords, language, layout, length, style
from joulemark.tasks.instructions.arguments import Arguments, Check


@dataclass(frozen=True, slots=True)
class _Kind:
    make: Callable[[Arguments], Check]
    names: frozenset[str]


def _kind(make: Callable[[Arguments], Check], *names: str) -> _Kind:
    return _Kind(make, frozenset(names))


_KINDS: Mapping[str, _Kind] = {
    "keywords:existence": _kind(keywords.existence, "keywords"),
    "keywords:frequency": _kind(keywords.frequency, "keyword", "frequency", "relation"),
    "keywords:forbidden_words": _kind(keywords.forbidden_words, "forbidden_words"),
    "keywords:letter_frequency": _kind(keywords.letter_frequency, "letter", "let_frequency", "let_relation"),
    language.RESPONSE_LANGUAGE: _kind(language.response_language, "language"),
    "length_constraints:number_sentences": _kind(length.number_sentences, "num_sentences", "relation"),
    "length_constraints:number_paragraphs": _kind(length.number_paragraphs, "num_paragraphs"),
    "length_constraints:number_words": _kind(length.number_words, "num_words", "relation"),
    "length_constraints:nth_paragraph_first_word": _kind(
        length.nth_paragraph_first_word, "num_paragraphs", "nth_paragraph", "first_word"
    ),
    "detectable_content:number_placeholders": _kind(content.number_placeholders, "num_placeholders"),
    "detectable_content:postscript": _kind(content.postscript, "postscript_marker"),
    "detectable_format:number_bullet_lists": _kind(layout.number_bullet_lists, "num_bullets"),
    "detectable_format:constrained_response": _kind(layout.constrained_response),
    "detectable_format:number_highlighted_sections": _kind(
        layout.number_highlighted_sections, "num_highlights"
    ),
    "detectable_format:multiple_sections": _kind(layout.multiple_sections, "section_spliter", "num_sections"),
    "detectable_format:json_format": _kind(layout.json_format),
    "detectable_format:title": _kind(layout.title),
    "combination:two_responses": _kind(combination.two_responses),
    "combination:repeat_prompt": _kind(combination.repeat_prompt, "prompt_to_repeat"),
    "startend:end_checker": _kind(style.end_checker, "end_phrase"),
    "startend:quotation": _kind(style.quotation),
    "change_case:capital_word_frequency": _kind(
        style.capital_word_frequency, "capital_frequency", "capital_relation"
    ),
    "change_case:english_capital": _kind(style.english_capital),
    "change_case:english_lowercase": _kind(style.english_lowercase),
    "punctuation:no_comma": _kind(style.no_comma),
}

KNOWN_IDS = frozenset(_KINDS)
"""The ids that can be checked."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a prompt: its published id and the check of a reply."""

    instruction_id: str
    check: Check = field(compare=False, repr=False)


def check_known(ids: Iterable[str]) -> None:
    """Raise ``ValueError`` that lists the ids that nothing checks."""
    unknown = sorted(set(ids) - KNOWN_IDS)
    if unknown:
        raise ValueError(f"unknown instructions: {', '.join(unknown)}")


def instruction(instruction_id: str, given: Mapping[str, object]) -> Instruction:
    """Return one instruction; arguments that are null count as not given.

    Raises ``ValueError`` for an unknown id, and for arguments that are missing, unfit or unknown.
    """
    check_known([instruction_id])
    kind = _KINDS[instruction_id]
    arguments = {name: value for name, value in given.items() if value is not None}
    if not arguments.keys() <= kind.names:
        odd = ", ".join(sorted(arguments.keys() - kind.names))
        raise ValueError(f"instruction {instruction_id} takes no {odd}")
    return Instruction(instruction_id, kind.make(Arguments(instruction_id, arguments)))


@lru_cache(maxsize=2048)
def parse_instructions(gold: str) -> tuple[Instruction, ...]:
    """Read the reference of a question, JSON ``[{"id": …, "kwargs": {…}}, …]``; ``ValueError`` if unfit."""
    stated = json.loads(gold)
    if not isinstance(stated, list) or not stated:
        raise ValueError("the instructions must be a JSON list of at least one object")
    return tuple(_stated(entry) for entry in stated)


def _stated(entry: object) -> Instruction:
    match entry:
        case {"id": str(instruction_id), "kwargs": dict(given)}:
            return instruction(instruction_id, given)
    raise ValueError(f"an instruction must have an id and kwargs, not {json.dumps(entry)[:80]}")


def followed(instructions: Sequence[Instruction], reply: str) -> tuple[bool, ...]:
    """Tell of each instruction whether ``reply``, thinking taken out, follows it; never raises for a text."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n").strip()
    return tuple(bool(text) and one.check(text) for one in instructions)
