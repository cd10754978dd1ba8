"""An input of its own for every pair: what a run could leave to the next one is of no use to that.

A program may leave traces in the kernel's caches (which pages of a library were read, which names were asked
for in vain) and find the answer there when the same input comes again. Here none comes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import Wanted, make_inputs, make_packed, seed_of, too_large
from joulemark.code.inside.packed import Packed, pack
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.problems.problem import Comparison
from joulemark.record.errors import InputError

_FIRST_NUMBER = 3_000_000  # of these inputs; those of growth, of the search for a size and of tests are below
_NUMBERS_A_PAIR = 100
_AHEAD = 2  # of later pairs, until it is looked again whether they are enough
_STEP = 0.01  # of the size, where a generator makes one input of each size


class Drawn:
    """Inputs of pairs of one program at one size, a case of each shape; another program gets others.

    Nothing is expected in the cases: the reference's run on them says what. Where a generator draws nothing,
    so that an input comes again, one of nearly that size is taken (1 % up or down, then 2 %).
    ``first_pairs``: how many are made at first, in one go. Raises `InputError` for a problem's own parts.
    """

    def __init__(self, bench: Bench, ran: Ran, size: int, first_pairs: int) -> None:
        generator = bench.problem.generator
        assert generator is not None  # what is scaled has one
        self._bench, self._size, self._shapes = bench, size, generator.shapes
        self._seed = f"{bench.seed}/{ran.sample}"
        self._ahead = max(1, first_pairs)
        self._made: dict[int, tuple[Case, ...]] = {}
        self._seen: set[Packed] = set()
        self._again: set[int] = set()

    def of(self, pair: int) -> tuple[Case, ...]:
        """Return the inputs of a pair. Each is asked for once, in ascending order."""
        if pair not in self._made:
            self._make(range(pair, pair + self._ahead))
            self._ahead = _AHEAD
        return self._made.pop(pair)

    def has_come_again(self, pair: int) -> bool:
        """Tell whether an input of a pair had been in one before: no other was to be had."""
        return pair in self._again

    def _make(self, pairs: Iterable[int]) -> None:
        wanted = {pair: [self._wanted(pair, shape) for shape in range(len(self._shapes))] for pair in pairs}
        made = iter(self._cases([one for mine in wanted.values() for one in mine]))
        for pair, mine in wanted.items():
            cases = [next(made) for _ in mine]
            for place, case in enumerate(cases):
                if case.sent in self._seen and (other := self._of_other_size(pair, place)) is not None:
                    cases[place] = other
            if any(case.sent in self._seen for case in cases):
                self._again.add(pair)
            self._seen.update(case.sent for case in cases)
            self._made[pair] = tuple(cases)

    def _wanted(self, pair: int, place: int, size: int | None = None) -> Wanted:
        number = _FIRST_NUMBER + _NUMBERS_A_PAIR * pair + place
        seed = seed_of(self._bench.problem, self._seed, number)
        return Wanted(size or self._size, self._shapes[place], seed)

    def _of_other_size(self, pair: int, place: int) -> Case | None:
        step = max(1, round(self._size * _STEP)) * ((pair + 1) // 2)
        size = max(1, self._size + (step if pair % 2 else -step))
        try:
            (case,) = self._cases([self._wanted(pair, place, size)])
        except InputError:  # a little larger may be too large
            return None
        return case

    def _cases(self, wanted: list[Wanted]) -> list[Case]:
        return made_cases(self._bench, wanted, _FIRST_NUMBER)


def made_cases(bench: Bench, wanted: Sequence[Wanted], first: int) -> list[Case]:
    """Return a case for each of ``wanted``, numbered from ``first``; nothing is expected in it yet.

    The arguments are in it where a checker of the problem asks for them. Raises `InputError`.
    """
    problem = bench.problem
    if problem.checker.comparison is Comparison.CHECKER:
        made = [one.args for one in make_inputs(bench.sandbox, problem, wanted)]
        if len(made) < len(wanted):
            raise too_large(problem, wanted, len(wanted) - len(made))
        inputs: list[tuple[tuple[Plain, ...], Packed]] = [(args, pack(args)) for args in made]
    else:
        inputs = [((), packed) for packed in make_packed(bench.sandbox, problem, wanted)]
    return [
        Case(first + n, Kind.GENERATED, args, packed, None, one.size, one.shape)
        for n, (one, (args, packed)) in enumerate(zip(wanted, inputs, strict=True))
    ]
