"""The canonical solution, and brute force, on inputs that a drafted generator made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import Wanted
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.making import Args, call_of
from joulemark.code.drafting.verdict import shown
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.plain import Plain, encode
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import Outcome

_MOST_CPU_S = 60.0


class NotAccepted(Exception):
    """A program of the problem failed on an input; the text says which and how."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a program returned, and the CPU time that it took (ns)."""

    value: Plain
    cpu_ns: int


def results_on(
    sandbox: Sandbox, problem: Problem, source: str, wanted: Sequence[Wanted], made: Sequence[Args], what: str
) -> list[Result]:
    """Return what a program of the problem returns for each input. Raises `NotAccepted`."""
    results: list[Result] = []
    place = "its being loaded"
    try:
        with sandbox.cell() as cell:
            cell.load(with_prelude(problem.prelude, source), problem.entry_point)
            for one, args in zip(wanted, made, strict=True):
                place = f"{call_of(one)}, which made {shown(args)}"
                called = cell.call([encode(args)])
                if called.outcome is not Outcome.RETURNED:
                    raise Ended(called.outcome, called.detail)
                results.append(Result(called.values[0], called.cpu_ns))
                if sum(result.cpu_ns for result in results) > _MOST_CPU_S * 1e9:
                    place = f"{len(results)} of {len(made)} inputs"
                    raise Ended(Outcome.OVER_CPU, f"it took more than {_MOST_CPU_S:g} s for all of them")
    except Ended as ended:
        how = ended.outcome.value.replace("_", " ")
        raise NotAccepted(f"{what} on {place}: {how} ({ended.detail})") from ended
    return results


def difference(
    sandbox: Sandbox,
    problem: Problem,
    wanted: Sequence[Wanted],
    made: Sequence[Args],
    results: Sequence[Result],
) -> str | None:
    """Return an input on which brute force and the canonical solution differ, null where they agree.

    Raises `NotAccepted` where brute force fails, `InputError` where the problem's checker does.
    """
    brute = results_on(sandbox, problem, problem.brute_force or "", wanted, made, "brute force")
    with Judge(sandbox, problem) as judge:
        for number, (one, args, result, other) in enumerate(zip(wanted, made, results, brute, strict=True)):
            case = Case(number, Kind.GENERATED, args, encode(args), result.value)
            if not judge.is_right(case, other.value):
                return (
                    f"{call_of(one)} made {shown(args)}, for which the canonical solution gives"
                    f" {shown(result.value)} and brute force {shown(other.value)}; is that a valid input?"
                )
    return None
