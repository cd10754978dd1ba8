"""Whether a drafted generator may make a problem's tests: every check in the sandbox, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.code.cases.soundness import soundness
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.agreement import disagreement, extent, known_arguments
from joulemark.code.drafting.draft import Draft
from joulemark.code.drafting.making import Args, Asked, NotMade, asked_of, call_of, make
from joulemark.code.drafting.trial import NotAccepted, Result, difference, results_on
from joulemark.code.drafting.verdict import Check, Verdict, not_reached, shown
from joulemark.code.grading.compare import same
from joulemark.code.inside.plain import encode
from joulemark.code.problems.problem import Checker, Problem

LEAST_DISTINCT = 20
_CHECKS = tuple(Check)
_AFTER_MAKING = _CHECKS[_CHECKS.index(Check.DETERMINISTIC) : _CHECKS.index(Check.FILE)]
_LONGER, _SLOWER = 1.2, 1.5
"""By what factor inputs, or else the canonical solution's CPU time, must grow between the two sizes."""
_SEEN_NS = 1_000_000  # a difference of times that is no accident
_SAME = Checker()


def validate(
    sandbox: Sandbox, problem: Problem, draft: Draft, least_distinct: int = LEAST_DISTINCT
) -> tuple[Verdict, ...]:
    """Return what was found of a draft, from `Check.LOADS` to `Check.TESTS`.

    Raises `InputError` where the problem's own parts fail or no process can be started.
    """
    asked = asked_of(problem, draft, least_distinct)
    try:
        made = make(sandbox, problem, draft.source, asked.all, disturbance=1)
    except NotMade as failure:
        before = (Verdict(Check.LOADS, True),) if failure.check is Check.MAKES else ()
        after = () if before else (Check.MAKES,)
        failed = Verdict(failure.check, False, failure.why)
        return (*before, failed, *not_reached((*after, *_AFTER_MAKING)))
    verdicts = [Verdict(Check.LOADS, True), Verdict(Check.MAKES, True, f"{len(made)} inputs")]
    verdicts += _Validation(sandbox, problem, draft, asked, made, least_distinct).verdicts()
    if any(one.passed is False for one in verdicts):
        return (*verdicts, *not_reached((Check.TESTS,)))
    faults = soundness(sandbox, draft.put_into(problem))
    return (*verdicts, Verdict(Check.TESTS, not faults, "; ".join(faults)))


class _Validation:
    """The checks of one draft on inputs that were made."""

    def __init__(
        self,
        sandbox: Sandbox,
        problem: Problem,
        draft: Draft,
        asked: Asked,
        made: Sequence[Args],
        least_distinct: int,
    ) -> None:
        self._sandbox, self._problem, self._draft = sandbox, problem, draft
        self._asked, self._made, self._least = asked, made, least_distinct
        self._results: list[Result] = []

    def verdicts(self) -> list[Verdict]:
        """Return a verdict for each check; those that need results say so where there are none."""
        checks: tuple[tuple[Check, Callable[[], tuple[bool | None, str]]], ...] = (
            (Check.DETERMINISTIC, self._deterministic),
            (Check.TYPES, self._types),
            (Check.ACCEPTED, self._accepted),
            (Check.SIZES, self._sizes),
            (Check.SHAPES, self._shapes),
            (Check.DISTINCT, self._distinct),
            (Check.BRUTE_FORCE, self._brute_force),
            (Check.RESULTS, self._results_differ),
        )
        return [Verdict(check, *found()) for check, found in checks]

    def _deterministic(self) -> tuple[bool, str]:
        """Make everything again in another process, from the end, with other random numbers around."""
        wanted = self._asked.all
        try:
            again = make(self._sandbox, self._problem, self._draft.source, wanted[::-1], disturbance=2)[::-1]
        except NotMade as failure:
            return False, f"it failed when it was run again: {failure.why}"
        for one, first, second in zip(wanted, self._made, again, strict=True):
            if not same(first, second, _SAME):
                return False, (
                    f"{call_of(one)} with the same seed gave {shown(first, 60)}, then {shown(second, 60)}:"
                    " draw from `rng` alone, and keep nothing between calls"
                )
        return True, ""

    def _types(self) -> tuple[bool | None, str]:
        known = known_arguments(self._problem)
        if not known:
            return None, "the problem states no arguments"
        found = disagreement(known, self._made)
        return found is None, found or ""

    def _accepted(self) -> tuple[bool, str]:
        try:
            self._results = results_on(
                self._sandbox,
                self._problem,
                self._problem.canonical,
                self._asked.all,
                self._made,
                "the canonical solution",
            )
        except NotAccepted as failure:
            return False, str(failure)
        return True, ""

    def _sizes(self) -> tuple[bool | None, str]:
        """Look at one input of each shape: the smaller size and the larger, from the same seed."""
        n_shapes, first = len(self._draft.shapes), len(self._asked.small)
        smaller = slice(first, first + n_shapes)
        larger = slice(len(self._made) - n_shapes, len(self._made))
        lengths = [sum(map(extent, self._made[part])) for part in (smaller, larger)]
        sizes = self._draft.sizes
        said = f"sizes {sizes[0]:,} and {sizes[1]:,}: {lengths[0]:,} and {lengths[1]:,} parts"
        if self._results:
            taken = [sum(one.cpu_ns for one in self._results[part]) for part in (smaller, larger)]
            said += f", {taken[0] / 1e6:.3g} and {taken[1] / 1e6:.3g} ms of the canonical solution"
            if taken[1] > _SLOWER * taken[0] and taken[1] - taken[0] > _SEEN_NS:
                return True, said
        if lengths[1] >= _LONGER * lengths[0]:
            return True, said
        if not self._results:
            return None, "inputs do not grow, and there are no times: the canonical solution failed"
        return False, f"neither inputs nor times grow ({said})"

    def _shapes(self) -> tuple[bool, str]:
        """Compare every two shapes: one of their inputs of the same size and seed must differ."""
        shapes = self._draft.shapes
        made = [self._made[number :: len(shapes)] for number in range(len(shapes))]
        for i, one in enumerate(shapes):
            for j in range(i + 1, len(shapes)):
                if all(same(*pair, _SAME) for pair in zip(made[i], made[j], strict=True)):
                    return False, f"the shapes {one!r} and {shapes[j]!r} give the same inputs"
        return True, ""

    def _distinct(self) -> tuple[bool, str]:
        n = len({encode(args) for args in self._made})
        said = f"{n} of {len(self._made)} inputs are distinct"
        return n >= self._least, said if n >= self._least else f"{said}, and {self._least} must be"

    def _brute_force(self) -> tuple[bool | None, str]:
        problem = self._problem
        if problem.brute_force is None:
            return None, "the problem has no brute force"
        if not self._results:
            return None, "the canonical solution gave no results"
        small = [one for one in self._asked.small if one.size <= problem.brute_force_size]
        n = len(small)
        try:
            found = difference(self._sandbox, problem, small, self._made[:n], self._results[:n])
        except NotAccepted as failure:
            return False, str(failure)
        return found is None, found or f"{n} inputs"

    def _results_differ(self) -> tuple[bool | None, str]:
        if not self._results:
            return None, "the canonical solution gave no results"
        found = {encode(one.value) for one in self._results}
        if len(found) == 1:
            return False, f"the canonical solution gives {shown(self._results[0].value)} for every input"
        return True, f"{len(found)} different ones"
