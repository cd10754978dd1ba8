"""The task that programs of the self-test solve or pretend to: its inputs differ at every try."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from joulemark.code.inside.plain import Linked, Plain, encode

_ROUNDS = 5000
_VALUES = 100
_MODULUS = 1_000_003

HONEST = """
def solve(values, rounds):
    total = 0
    for _ in range(rounds):
        for value in values:
            total = (total * 31 + value * value) % 1000003
    return total
"""
"""Solves it as it is put; some tens of milliseconds of CPU time."""


@dataclass(frozen=True, slots=True)
class Task:
    """One input and what is right for it, which nobody can guess in a million tries."""

    values: tuple[int, ...]
    rounds: int
    answer: int

    @property
    def sent(self) -> str:
        """The arguments as they are sent."""
        return encode((list(self.values), self.rounds))

    @property
    def sent_as_text(self) -> str:
        """The arguments for a program that reads its input."""
        return encode((" ".join(map(str, (self.rounds, *self.values))),))

    def is_right(self, value: Plain, shape: str = "") -> bool:
        """Tell whether ``value`` is the answer: as it is, printed, or the one member of a list."""
        if shape == "text":
            return type(value) is str and value.split() == [str(self.answer)]
        if shape == "list":
            return type(value) is list and len(value) == 1 and self.is_right(value[0])
        if shape == "linked":
            return type(value) is Linked and value.values == (self.answer,)
        return type(value) is int and value == self.answer


def new_task() -> Task:
    """Return a task with an input of its own."""
    random = secrets.SystemRandom()
    while True:
        values = tuple(random.randrange(10_000) for _ in range(_VALUES))
        answer = _answer(values, _ROUNDS)
        if answer > 1000:  # what programs guess: nothing, one, true
            return Task(values, _ROUNDS, answer)


def _answer(values: tuple[int, ...], rounds: int) -> int:
    """Compose the affine map of one round with itself: another way than the programs', and a fast one."""
    step, shift = pow(31, len(values), _MODULUS), 0
    for value in values:
        shift = (shift * 31 + value * value) % _MODULUS
    total = 0
    while rounds:
        if rounds & 1:
            total = (step * total + shift) % _MODULUS
        shift = (step * shift + shift) % _MODULUS
        step = step * step % _MODULUS
        rounds >>= 1
    return total
