"""What is wrong with a request, field by field, in words: no pattern, and nothing of what was sent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from joulemark.board.refusal import Refused

UNKNOWN = "a field that is not known"
_MOST = 5
_LETTERS = "it begins with a letter or a digit, and holds letters, digits{} alone"
_PATTERNS = {
    "^[0-9a-f]{32}$": "it has to be the 32 digits (0-9, a-f) of an id",
    "^[0-9a-f]{64}$": "it has to be all 64 digits (0-9, a-f) of a digest",
    "^[0-9a-f]{128}$": "it has to be the 128 digits (0-9, a-f) of a signature",
    r"^[0-9]*\.?[0-9]*$": "it has to be a plain number, such as 0.30",
    "^(asc|desc)?$": "it is asc or desc",
    "^[!-~]+$": "it has to be plain characters without a space",
    "^[a-z0-9_-]{1,60}$": "it has to be the name of a task: small letters, digits, _ and -",
    r"^[A-Za-z0-9][A-Za-z0-9 ._:+/@()-]*$": _LETTERS.format(", spaces and . _ : + / @ ( ) -"),
    r"^[A-Za-z0-9][A-Za-z0-9._-]*$": _LETTERS.format(" and . _ -"),
    r"^[^\x00]*$": "it has to be a text without the character 0",
}
_KINDS = {
    "missing": "it is missing",
    "extra_forbidden": "it is not taken",
    "json_invalid": "it is no JSON",
    "string_type": "it has to be a text",
    "string_unicode": "it has to be a text in UTF-8",
    "finite_number": "it has to be a finite number",
    "list_type": "it has to be a list",
    "dict_type": "it has to be a JSON object",
    "model_type": "it has to be a JSON object",
    "model_attributes_type": "it has to be a JSON object",
}
_FAMILIES = {
    "int_": "it has to be a whole number",
    "float_": "it has to be a number",
    "bool_": "it has to be true or false",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "it has to be at least {}"),
    "greater_than": ("gt", "it has to be more than {}"),
    "less_than_equal": ("le", "it has to be at most {}"),
    "less_than": ("lt", "it has to be less than {}"),
    "string_too_short": ("min_length", "it has to be at least {} characters long"),
    "string_too_long": ("max_length", "it has to be at most {} characters long"),
    "too_short": ("min_length", "it has to have at least {} parts"),
    "too_long": ("max_length", "it has to have at most {} parts"),
    "literal_error": ("expected", "it is one of {}"),
    "enum": ("expected", "it is one of {}"),
}


def malformed(errors: Sequence[Mapping[str, Any]], what: str, fields: Collection[str] = ()) -> Refused:
    """Return the refusal of a request with these errors of pydantic; ``fields`` are those that there are."""
    said: dict[str, str] = {}
    for one in errors:
        said.setdefault(_place(one), _sentence(one))
    told = sorted(said.items())[:_MOST]
    fixes = []
    if wrong := [place for place, _ in told if place != UNKNOWN]:
        fixes.append(f"mend {', '.join(wrong)} and send it again")
    if UNKNOWN in said:
        fixes.append("leave out what is not known")
    known = f"there are {', '.join(fields)}" if fields else "/api/v1/openapi.json says what each takes"
    return Refused(422, what, "; ".join(f"{place}: {why}" for place, why in told), "; ".join([*fixes, known]))


def _place(wrong: Mapping[str, Any]) -> str:
    """Return which field is wrong; the name of one that is not known is the client's own text."""
    if wrong["type"] == "extra_forbidden":
        return UNKNOWN
    parts = [str(part) for part in wrong["loc"]]
    if wrong["type"] == "json_invalid" or not parts:
        return "the body"
    inside = parts[1:] if parts[0] in ("query", "path", "body", "header", "cookie") else parts
    return (".".join(inside) or f"the {parts[0]}")[:80]


def _sentence(wrong: Mapping[str, Any]) -> str:
    kind, context = str(wrong["type"]), wrong.get("ctx") or {}
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(str(context.get("pattern")), "it holds what cannot be taken")
    if kind == "value_error":  # a check of ours, which speaks for itself
        return str(wrong["msg"]).removeprefix("Value error, ")[:120]
    if kind in _BOUNDS and _BOUNDS[kind][0] in context:
        name, sentence = _BOUNDS[kind]
        return sentence.format(context[name])
    family = next((said for begins, said in _FAMILIES.items() if kind.startswith(begins)), None)
    return _KINDS.get(kind) or family or "it cannot be read"
