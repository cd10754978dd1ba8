"""How much of a model a step has to read: parameters from its name and flags, bits from its quantization.

Only what is surely known: a bound on a guess would keep honest runs out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.setup import Setting

_BILLION, _MILLION = 1e9, 1e6
_SCALES = {"b": _BILLION, "m": _MILLION, "k": 1e3, "t": 1e12}
_DENSE = re.compile(
    r"(?:^|[^a-z])(?:llama|codellama|tinyllama|vicuna|qwen|qwq|gemma|codegemma|mistral|ministral|phi|smollm|olmo"
    r"|falcon|opt|gpt-?neox|pythia|stablelm|starcoder|internlm|yi)(?![a-z])"
)
_SPARSE = re.compile(
    r"moe|mixtral|mixture|gemma-?3n|llama-?4|scout|maverick|jamba|next|(?:^|[^a-z0-9])(?:e\d+(?:\.\d+)?b"
    r"|\d+e|\d+x\d+(?:\.\d+)?b)(?![a-z0-9])"
)
_ACTIVE = re.compile(r"(?:^|[^a-z0-9])a(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_SIZE = re.compile(r"(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_COUNT = re.compile(r"(\d+(?:\.\d+)?)([kmbt])")
_BITS = (
    (re.compile(r"(?:mx|nv)?fp4|nf4|int4|4[- ]?bit|awq"), 4.0),
    (re.compile(r"fp8|int8|8[- ]?bit"), 8.0),
    (re.compile(r"b?float16|b?f16|fp16|bf16|half"), 16.0),
    (re.compile(r"float32|f32|fp32"), 32.0),
)
_DIGIT = re.compile(r"(?:ud-)?(?:mostly_)?(?:iq|tq|q)(\d)|w(\d{1,2})a\d{1,2}")


@dataclass(frozen=True, slots=True)
class Weights:
    """Parameters in all, those that work on one token, and at least so many bits each; null: not known."""

    parameters: float | None = None
    active_parameters: float | None = None
    bits: float | None = None


def weights_of(model: str, quantization: str | None, flags: Mapping[str, Setting]) -> Weights:
    """Return what is known of a model's weights.

    Those at work on one token are known where the name says them (``30B-A3B``), or where it says a size and
    is of a family known to be dense. ``bits`` is a lower bound: of mixed formats the least that the name
    allows.
    """
    name = model.casefold().rpartition("/")[2]
    stated, named, active = _stated(flags), _number(_SIZE.search(name)), _number(_ACTIVE.search(name))
    total = stated if stated is not None else named
    if active is not None:
        return Weights(total, active, bits_of(quantization))
    if _SPARSE.search(name):
        return Weights(stated, None, bits_of(quantization))
    is_dense = named is not None and _DENSE.search(name) is not None
    return Weights(total, total if is_dense else None, bits_of(quantization))


def bits_of(quantization: str | None) -> float | None:
    """Return the least bits a weight that a quantization's name allows; null where it does not say."""
    if quantization is None:
        return None
    plain = quantization.casefold()
    found = _DIGIT.fullmatch(plain) or _DIGIT.match(plain)
    if found is not None:
        return float(found[1] or found[2]) or None
    return next((bits for pattern, bits in _BITS if pattern.search(plain)), None)


def _stated(flags: Mapping[str, Setting]) -> float | None:
    """Return the parameters that the engine itself stated."""
    count = flags.get("parameters")
    if isinstance(count, int | float) and not isinstance(count, bool) and count > 0:
        return float(count)
    size = flags.get("parameter_size")
    return _number(_COUNT.fullmatch(size.casefold()) if isinstance(size, str) else None)


def _number(found: re.Match[str] | None) -> float | None:
    """Return the number that was found times its scale; null for none, and for zero."""
    return None if found is None else float(found[1]) * _SCALES[found[2]] or None
