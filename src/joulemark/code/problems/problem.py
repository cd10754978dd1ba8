"""A problem to be solved by a program: what is asked, how answers are tested, how tests are made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from joulemark.code.inside.plain import Plain

ALGORITHMS = (
    "greedy",
    "dynamic_programming",
    "backtracking",
    "divide_and_conquer",
    "depth_first_search",
    "breadth_first_search",
    "binary_search",
    "two_pointers",
    "sliding_window",
    "bit_manipulation",
    "sorting",
)
"""The eleven classes of the paper (EffiBench, NeurIPS 2024); a problem may carry other tags too."""
DIFFICULTIES = ("easy", "medium", "hard")


class Comparison(StrEnum):
    """How a result is compared with the expected one; always in the parent, on plain data.

    `EQUAL`: as Python's ``==`` compares plain data. `CLOSE`: floats within the tolerances, the rest equal.
    `UNORDERED`: a list as a multiset; `UNORDERED_NESTED`: lists within it too. `TEXT`: output of a program
    by lines, without trailing blanks. `CHECKER`: a function of the problem decides, in a process without the
    candidate.
    """

    EQUAL = "equal"
    CLOSE = "close"
    UNORDERED = "unordered"
    UNORDERED_NESTED = "unordered_nested"
    TEXT = "text"
    CHECKER = "checker"


@dataclass(frozen=True, slots=True)
class Checker:
    """The comparison and its tolerances.

    ``source`` defines ``check(args, expected, got) -> bool`` where `Comparison.CHECKER` is asked for.
    ``same_type``: the result's type must be that of the expected one (list is no tuple, int no float).
    """

    comparison: Comparison = Comparison.EQUAL
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    same_type: bool = False
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A call and its result, as the prompt shows it."""

    args: tuple[Plain, ...]
    result: Plain


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes inputs: ``source`` defines ``generate(rng, size, shape)``, which returns a tuple of arguments.

    ``sizes``: between which the canonical solution grows from well under a millisecond to tens of them;
    ``shapes``: distributions, the first for timing. ``levels``: sizes by difficulty, where the origin gives
    some, with ``cases_per_level`` inputs each; ``shape`` is then ``"LEVEL/CASE"``. ``level_weights``: of the
    levels in the origin's score (0: for right and wrong only); none where the problem is in no score.
    """

    source: str
    sizes: tuple[int, int] | None = None
    shapes: tuple[str, ...] = ("",)
    levels: tuple[int, ...] = ()
    cases_per_level: tuple[int, ...] = ()
    level_weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in the one format.

    ``entry_point`` is what is called: ``name`` or ``Class.name`` (an instance is made for each call), or
    empty for a program that reads standard input and prints. ``canonical`` is the source of a whole program
    that defines it; ``prelude`` goes before every program of the problem. ``prompt``: what the model is asked
    where the origin fixes it; ``completes_prompt``: answers may be the rest of the prompt's program.
    ``inputs``: given argument tuples (for programs: one text). ``test_source`` defines ``check(candidate)``,
    which raises where an answer is wrong; it runs in a process without the candidate. ``slow``: correct slow
    programs by name; ``brute_force`` is obviously right, for inputs up to ``brute_force_size``.
    ``origin`` names the set, ``licence`` that of its text.
    """

    problem_id: str
    title: str
    statement: str
    entry_point: str
    canonical: str
    origin: str
    licence: str
    prelude: str = ""
    prompt: str | None = None
    completes_prompt: bool = False
    examples: tuple[Example, ...] = ()
    inputs: tuple[tuple[Plain, ...], ...] = ()
    expected: tuple[Plain, ...] | None = None
    test_source: str | None = None
    checker: Checker = field(default_factory=Checker)
    generator: Generator | None = None
    slow: Mapping[str, str] = field(default_factory=dict)
    brute_force: str | None = None
    brute_force_size: int = 0
    edge_cases: tuple[tuple[Plain, ...], ...] = ()
    algorithms: tuple[str, ...] = ()
    difficulty: str | None = None

    @property
    def reads_input(self) -> bool:
        """Whether the answer is a program that reads standard input."""
        return not self.entry_point

    @property
    def is_scored_by_levels(self) -> bool:
        """Whether the origin's score counts this problem by levels of difficulty."""
        return self.generator is not None and any(self.generator.level_weights)


def program_id(source: str) -> str:
    """Return the SHA-256 of a program's source, in hex."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
