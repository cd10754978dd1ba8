"""How a user names a meter: ``KIND``, or ``KIND:ADDRESS?option=value&…`` for one on a network."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from joulemark.meters.privacy import hashed, load_salt
from joulemark.record.errors import InputError
from joulemark.record.replayed import REPLAY
from joulemark.record.scope import Scope

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class MeterAddress:
    """A meter as it was named. ``address`` is empty for a kind that finds its devices itself."""

    kind: str
    address: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> MeterAddress:
        """Read what the user wrote; raises `InputError` for an option without a value or named twice."""
        kind, _, rest = text.partition(":")
        if kind == REPLAY:  # a file's name may hold any character
            return cls(kind, rest)
        address, _, query = rest.partition("?")
        try:
            pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
        except ValueError as error:
            raise InputError(f"the meter {text!r} is malformed", why=str(error), fix=_GRAMMAR) from error
        options = dict(pairs)
        if len(options) != len(pairs):
            raise InputError(f"the meter {text!r} is malformed", why="an option stands twice", fix=_GRAMMAR)
        return cls(kind, address, options)

    def require_options(self, known: Collection[str]) -> None:
        """Raise `InputError` for an option that this kind of meter does not have."""
        for name in self.options:
            if name not in known:
                raise InputError(
                    f"a meter of kind {self.kind} has no option {name!r}",
                    why=f"it has {', '.join(sorted(known)) or 'none'}",
                    fix=_GRAMMAR,
                )

    def scope(self, default: Scope) -> Scope:
        """Return the scope that the option ``scope`` names, else ``default``; raises `InputError`."""
        try:
            return Scope.named(self.options["scope"]) if "scope" in self.options else default
        except ValueError as error:
            raise InputError(
                f"{self.options['scope']!r} is no scope",
                why=str(error),
                fix=_GRAMMAR,
            ) from error

    def number(self, name: str, default: int) -> int:
        """Return a whole-number option, not negative; raises `InputError`."""
        text = self.options.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 9):
            raise InputError(f"{name}={text} is no whole number", fix=_GRAMMAR)
        return int(text)


_GRAMMAR = (
    "write --meter 'KIND:ADDRESS?option=value&option=value', for example 'shelly:192.168.1.20?scope=wall'"
)


def without_address(text: str, meter: str) -> str:
    """Return words about ``meter`` (as a user named it) for a record: its address and host are left out."""
    address = MeterAddress.parse(meter).address
    found = [address, *address.split("::")[1:2]]  # TCPIP::HOST::INSTR
    with contextlib.suppress(ValueError):
        found.append(urlsplit(address if "//" in address else f"//{address}").hostname or "")
    for part in filter(None, found):
        text = text.replace(part, "…")
    return text


def private_name(meter: str) -> str:
    """Return what a record keeps of a meter's name: of an address a digest, which still tells two apart.

    The digest is this machine's own (see `privacy`): there are too few addresses to keep one secret without
    a salt. Raises `InputError` where the salt cannot be used.
    """
    kind, separator, rest = meter.partition(":")
    if not separator or kind == REPLAY:
        return meter
    return f"{kind}:#{hashed(rest, load_salt())[:_DIGITS]}"
