"""Another model as a user declares it: ``NAME,verbosity=1.4,usd_in=2.5,usd_out=10``."""

from __future__ import annotations

import math
from dataclasses import fields

from joulemark.frugal.published.projection import OtherModel
from joulemark.record.errors import InputError

_KEYS = tuple(field.name for field in fields(OtherModel) if field.name != "name")
_ABOVE_ZERO = frozenset({"verbosity", "chars_per_token"})


def parse_model(text: str) -> OtherModel:
    """Return the declared model; raises `InputError` for an unknown key or a number that cannot be."""
    name, *parts = (part.strip() for part in text.split(","))
    said: dict[str, float] = {}
    for part in parts:
        key, equals, digits = part.partition("=")
        key = key.strip()
        if not equals or key not in _KEYS or key in said:
            raise _refused(text, f"{part!r} is none of its keys, or is there twice")
        try:
            value = float(digits)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value < 0 or (key in _ABOVE_ZERO and value == 0):
            raise _refused(text, f"{digits!r} is no {key}")
        said[key] = value
    if not name or "=" in name:
        raise _refused(text, "its name comes first")
    return OtherModel(name, **said)


def _refused(text: str, why: str) -> InputError:
    return InputError(
        f"--project {text} declares no model",
        why=why,
        fix=f"--project NAME,KEY=VALUE,… with {', '.join(_KEYS)}",
    )
