"""A judge survives whatever ends its checker, and says whose fault it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.small_problems import root_problem, scripted_problem
from joulemark.code.cases.case import Case, Kind
from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.grade import grade
from joulemark.code.grading.judge import Judge, passes_script
from joulemark.code.inside.plain import Linked, Plain, encode
from joulemark.code.measuring.observed import Ran
from joulemark.code.problems.problem import Checker, Comparison, Problem
from joulemark.code.selftest.program_case import left_behind
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

_ARGS = (4.0,)
_CASE = Case(0, Kind.GIVEN, _ARGS, encode(_ARGS), 2.0)
_ENDS = {
    "loops": "    while got == 7:\n        pass\n",
    "exits": "    import os\n    if got == 7: os._exit(0)\n",
    "raises the end": "    if got == 7: raise SystemExit(0)\n",
    "crashes": "    import os\n    if got == 7: os.abort()\n",
    "fills memory": "    if got == 7: b'x' * (1 << 30)\n",
    "floods": "    if got == 7: return [got] * 10**9\n",
}


@pytest.fixture(scope="module")
def tight() -> Iterator[Sandbox]:
    try:
        box = Sandbox(WHOLE, Limits(wall_s=6, cpu_s=0.5, memory_bytes=128 * MIB))
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    with box:
        yield box


def checked_by(body: str, *, before: str = "") -> Problem:
    """A problem whose checker does ``body`` first and is a sound one then."""
    source = f"{before}\ndef check(args, expected, got):\n{body}    return abs(got * got - args[0]) < 1e-6\n"
    sound = root_problem()
    return Problem(
        problem_id="root",
        title=sound.title,
        statement=sound.statement,
        entry_point=sound.entry_point,
        canonical=sound.canonical,
        origin=sound.origin,
        licence=sound.licence,
        inputs=sound.inputs,
        checker=Checker(Comparison.CHECKER, source=source),
    )


@pytest.mark.parametrize("how", _ENDS)
def test_a_result_that_ends_the_checker_is_not_right_and_the_next_one_is_judged(
    tight: Sandbox, how: str
) -> None:
    with Judge(tight, checked_by(_ENDS[how])) as judge:
        assert judge.is_right(_CASE, 2.0)
        assert not judge.is_right(_CASE, 7)
        assert judge.is_right(_CASE, -2.0)
        assert not judge.is_right(_CASE, 3.0)
    assert left_behind(tight) == 0


def test_a_checker_that_is_ended_every_time_says_right_to_nobody(tight: Sandbox) -> None:
    with Judge(tight, checked_by("    raise SystemExit(0)\n")) as judge:
        assert not judge.is_right(_CASE, 2.0)
        assert not judge.is_right(_CASE, 2.0)


@pytest.mark.parametrize(
    "before",
    [
        "import os\nos._exit(0)",
        "raise SystemExit(0)",
        "while True:\n    pass",
        "def check(:",
        "import no_such_module",
    ],
)
def test_a_checker_that_cannot_be_loaded_is_the_problems_fault(tight: Sandbox, before: str) -> None:
    with Judge(tight, checked_by("", before=before)) as judge, pytest.raises(InputError) as caught:
        judge.is_right(_CASE, 2.0)
    assert "root" in caught.value.what
    assert caught.value.fix
    assert left_behind(tight) == 0


def test_a_grade_says_what_became_of_the_candidate_not_of_the_checker(tight: Sandbox) -> None:
    problem = checked_by(_ENDS["loops"])
    found = grade(tight, problem, (_CASE,), Ran("root", "def root(square):\n    return 7", 0))
    assert not found.is_correct
    assert found.outcome is Outcome.RETURNED
    assert [run.correct for run in found.runs] == [False]
    right = grade(tight, problem, (_CASE,), Ran("root", "def root(square):\n    return -2.0", 0))
    assert right.is_correct


def scripted_by(script: str) -> Problem:
    sound = scripted_problem()
    return Problem(
        problem_id="double",
        title=sound.title,
        statement=sound.statement,
        entry_point=sound.entry_point,
        canonical=sound.canonical,
        origin=sound.origin,
        licence=sound.licence,
        test_source=script,
    )


def double(args: tuple[Plain, ...]) -> Plain:
    (number,) = args
    assert isinstance(number, int)
    return 2 * number


@pytest.mark.parametrize("end", ["while True: pass", "import os; os._exit(0)", "raise SystemExit(0)"])
def test_a_script_that_ends_before_it_asks_is_the_problems_fault(tight: Sandbox, end: str) -> None:
    script = f"{end}\ndef check(candidate):\n    assert candidate(1) == 2\n"
    with pytest.raises(InputError, match="double"):
        passes_script(tight, scripted_by(script), double)
    assert left_behind(tight) == 0


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("while True: pass", Outcome.OVER_CPU),
        ("import os; os._exit(0)", Outcome.EXITED),
        ("import os; os.abort()", Outcome.CRASHED),
        ("b'x' * (1 << 30)", Outcome.OVER_MEMORY),
    ],
)
def test_a_script_that_a_result_leads_to_its_end_is_not_passed(
    tight: Sandbox, end: str, outcome: Outcome
) -> None:
    script = f"def check(candidate):\n    if candidate(1) == 2:\n        {end}\n"
    said = passes_script(tight, scripted_by(script), double)
    assert said is not None
    assert outcome is Outcome.OVER_MEMORY or str(outcome) in said
    assert left_behind(tight) == 0


def test_an_exit_of_the_script_is_no_pass(tight: Sandbox) -> None:
    script = "def check(candidate):\n    candidate(1)\n    raise SystemExit(0)\n"
    assert passes_script(tight, scripted_by(script), double) is not None
    swallowed = "def check(candidate):\n    pass\ndef joulemark_check():\n    return True\n"
    assert (
        passes_script(tight, scripted_by(swallowed), double) is None
    )  # it asserts nothing: it is the script's


@pytest.mark.parametrize(
    "guard", ["", "    try:\n        candidate(1)\n    except BaseException:\n        pass\n"]
)
def test_what_ended_the_candidate_comes_out_whatever_the_script_makes_of_it(
    tight: Sandbox, guard: str
) -> None:
    def fails(args: tuple[Plain, ...]) -> Plain:
        raise Ended(Outcome.CRASHED, "it was ended by SIGSEGV")

    script = f"def check(candidate):\n{guard}    candidate(1)\n"
    with pytest.raises(Ended) as caught:
        passes_script(tight, scripted_by(script), fails)
    assert caught.value.outcome is Outcome.CRASHED


def test_a_script_that_hides_the_candidates_end_and_its_own_passes_nobody(tight: Sandbox) -> None:
    def fails(args: tuple[Plain, ...]) -> Plain:
        raise Ended(Outcome.EXITED, "it ended itself")

    script = (
        "def check(candidate):\n    try:\n        candidate(1)\n    except BaseException:\n        pass\n"
    )
    with pytest.raises(Ended):
        passes_script(tight, scripted_by(script), fails)
    ends = f"{script}    import os; os._exit(0)\n"
    with pytest.raises(Ended) as caught:
        passes_script(tight, scripted_by(ends), fails)
    assert caught.value.outcome is Outcome.EXITED
    assert caught.value.detail == "it ended itself"


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("def double(number):\n    import os; os._exit(0)", Outcome.EXITED),
        ("def double(number):\n    while True: pass", Outcome.OVER_CPU),
        (
            "def double(number):\n    if number == 2:\n        raise SystemExit(0)\n    return 2 * number",
            None,
        ),
    ],
)
def test_a_grade_by_a_script_tells_how_the_candidate_ended(
    tight: Sandbox, source: str, outcome: Outcome | None
) -> None:
    found = grade(tight, scripted_problem(), (), Ran("double", source, 0))
    assert not found.is_correct
    assert found.outcome is (outcome or Outcome.EXITED)
    assert found.runs[-1].outcome is found.outcome
    assert found.runs[-1].correct is False
    if outcome is Outcome.OVER_CPU:
        assert found.runs[-1].cpu_ns is not None
        assert found.runs[-1].cpu_ns >= 500_000_000


_NAN = float("nan")
_DROPS_NAN = "    if not isinstance(got, float): return not max(0.0, abs(got[0] - expected[0])) > 1e-6\n"


@pytest.mark.parametrize(
    "got",
    [[_NAN], (_NAN,), [2.0, {"a": _NAN}], [2.0, complex(0, _NAN)], {2.0, _NAN}, [2.0, Linked((_NAN,))]],
)
def test_not_a_number_is_wrong_before_a_checker_is_asked(tight: Sandbox, got: Plain) -> None:
    case = Case(0, Kind.GIVEN, _ARGS, encode(_ARGS), [2.0])
    with Judge(tight, checked_by(_DROPS_NAN)) as judge:
        assert not judge.is_right(case, got)
        assert judge.is_right(case, [2.0])


def test_not_a_number_is_the_checkers_affair_where_it_is_expected(tight: Sandbox) -> None:
    case = Case(0, Kind.GIVEN, _ARGS, encode(_ARGS), [_NAN])
    with Judge(tight, checked_by("    if type(got) is list: return got[0] != got[0]\n")) as judge:
        assert judge.is_right(case, [_NAN])
        assert not judge.is_right(case, [2.0])
