"""A workload by example: a run, a file of token counts or texts, or a pasted prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.runs.recorded import read_run

MAX_BYTES = 64 << 20
MAX_TOKENS = 100_000_000
_PROMPT_TOKENS = ("prompt_tokens", "input_tokens")
_COMPLETION_TOKENS = ("completion_tokens", "output_tokens")
_PROMPTS = ("prompt", "question", "input", "messages")
_ANSWERS = ("answer", "completion", "response", "output")
_FIX = (
    'a line like {"prompt_tokens": 1200, "completion_tokens": 300} or {"prompt": "…", "answer": "…"}; '
    "or a plain text, which is one prompt"
)


@dataclass(frozen=True, slots=True)
class Example:
    """What an example holds: ``counts`` in tokens, or ``texts`` in characters; one of them is empty.

    An answer that there is none of is null.
    """

    told: str
    counts: tuple[tuple[int, int | None], ...] = ()
    texts: tuple[tuple[int, int | None], ...] = ()


def example_of(path: Path) -> Example:
    """Read an example; raises `InputError` for one that says nothing of lengths."""
    if path.is_dir():
        return _of_run(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} cannot be read", why=f"it has over {MAX_BYTES >> 20} MiB", fix=_FIX)
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text", why=str(error), fix=_FIX) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read", why=error.strerror or str(error), fix=_FIX) from error
    return example_in(text, str(path), path.name)


def example_in(text: str, path: str, name: str) -> Example:
    """Read an example that is a text; ``path`` and ``name`` are what it is called in errors and in words."""
    if not text.strip():
        raise InputError(f"{path} is empty", fix=_FIX)
    if text.lstrip()[0] not in "{[":
        return Example(f"one prompt, pasted in {name}", texts=((len(text.strip()), None),))
    return _of_objects(path, name, _objects(path, text))


def _objects(path: str, text: str) -> list[tuple[int, Any]]:
    """Return the objects of a file with their places: a JSON list, or an object a line."""
    if text.lstrip()[0] == "[":
        try:
            whole = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"{path} is no JSON", why=str(error), fix=_FIX) from error
        return list(enumerate(whole, 1))
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append((number, orjson.loads(line)))
        except orjson.JSONDecodeError as error:
            raise InputError(f"{path}: line {number} is no JSON", why=str(error), fix=_FIX) from error
    return found


def _of_objects(path: str, name: str, objects: list[tuple[int, Any]]) -> Example:
    counts: list[tuple[int, int | None]] = []
    texts: list[tuple[int, int | None]] = []
    for number, one in objects:
        if not isinstance(one, Mapping):
            raise InputError(f"{path}: entry {number} is no object", fix=_FIX)
        usage = one.get("usage")
        known = {**one, **usage} if isinstance(usage, Mapping) else one
        prompt = _count(path, number, known, _PROMPT_TOKENS)
        if prompt is not None:
            counts.append((prompt, _count(path, number, known, _COMPLETION_TOKENS)))
            continue
        characters = _characters(one, _PROMPTS)
        if characters is None:
            raise InputError(f"{path}: entry {number} holds neither a prompt nor its tokens", fix=_FIX)
        texts.append((characters, _characters(one, _ANSWERS)))
    if counts and texts:
        why = f"{len(counts)} entries hold numbers of tokens, {len(texts)} texts"
        raise InputError(f"{path} mixes two kinds of entries", why=why, fix="give one kind in a file")
    if not counts and not texts:
        raise InputError(f"{path} holds no request", fix=_FIX)
    n = len(counts) or len(texts)
    what = "requests with their token counts" if counts else "requests as texts"
    return Example(f"{n:,} {what} in {name}", tuple(counts), tuple(texts))


def _count(path: str, number: int, one: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    value = next((one[name] for name in names if one.get(name) is not None), None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_TOKENS:
        raise InputError(f"{path}: entry {number} has {str(value)[:40]} for a number of tokens", fix=_FIX)
    return value


def _characters(one: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    """Return the length of a text, or of the contents of a list of messages; null where there is none."""
    for name in names:
        value = one.get(name)
        if isinstance(value, str):
            return len(value)
        if isinstance(value, list):
            parts = [part.get("content") for part in value if isinstance(part, Mapping)]
            return sum(len(part) for part in parts if isinstance(part, str))
    return None


def _of_run(root: Path) -> Example:
    items = [
        item
        for item in read_run(root).items
        if item.phase == Phase.MEASURE and not item.failed and item.prompt_tokens is not None
    ]
    counts = tuple((item.prompt_tokens or 0, item.completion_tokens) for item in items)
    counts = tuple(pair for pair in counts if pair[1] is not None)
    if not counts:
        raise InputError(
            f"the run {root} holds no request with token counts", fix="give --prompt-tokens and the like"
        )
    return Example(f"the {len(counts):,} requests of {root.name}", counts)
