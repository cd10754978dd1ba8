"""One case of the self-test: what was tried, what had to come of it, and what did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from joulemark.code.contain.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class SelfTestCase:
    """A case that was tried. ``what`` is a sentence for a reader; ``given`` is what came of it."""

    name: str
    what: str
    expected: str
    given: str
    passed: bool


Case: TypeAlias = Callable[[Sandbox], SelfTestCase]
"""Tries something in a sandbox. May raise `InputError` where the sandbox does not survive it."""
