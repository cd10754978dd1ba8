"""The self-test: what cheats never passes it, and it notices when something does not hold."""

from __future__ import annotations

import json
import sys
from importlib import resources

import pytest

from doubles.ordinary_user import python_as_ordinary_user
from joulemark.code.contain.containment import WHOLE, Containment
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.case import SelfTestCase
from joulemark.code.selftest.meeting_cases import MEETING_CASES
from joulemark.code.selftest.observed import Observed, fits, observe
from joulemark.code.selftest.program_case import ProgramCase, program_cases
from joulemark.code.selftest.selftest import LIMITS, all_cases, run_selftest
from joulemark.code.selftest.task import HONEST, new_task
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

_WAITING = {
    *("infinite_loop", "unstoppable_loop", "loop_at_import", "sleep", "stops_itself", "leader_leaves"),
    *("message_dripping", "message_half_sent", "message_many_parts", "message_many_parts_in_text"),
    *("output_flood", "patched_write", "steals_channel", "exception_with_endless_text", "everything"),
    *("result_doubling", "result_flood", "memory_bomb", "closes_descriptors", "message_alike_hashes"),
}
"""They run until a limit ends them: `test_all_of_it_passes` has them too."""
_PROGRAMS = {case.name: case for case in program_cases() if isinstance(case, ProgramCase)}


@pytest.fixture(scope="module")
def box() -> Sandbox:
    try:
        sandbox = Sandbox(WHOLE, LIMITS)
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    with sandbox:
        yield sandbox


@pytest.mark.parametrize("name", sorted(set(_PROGRAMS) - _WAITING))
def test_each_program_comes_to_its_due_end(box: Sandbox, name: str) -> None:
    found = _PROGRAMS[name](box)
    assert found.passed, f"{found.what} expected: {found.expected}; given: {found.given}"


@pytest.mark.parametrize("case", MEETING_CASES)
def test_each_meeting_comes_to_its_due_end(box: Sandbox, case: object) -> None:
    found = case(box)  # type: ignore[operator]
    assert found.passed, f"{found.what} expected: {found.expected}; given: {found.given}"


@pytest.mark.slow
def test_all_of_it_passes() -> None:
    told: list[SelfTestCase] = []
    try:
        tried = run_selftest(WHOLE, when_tried=told.append)
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    assert [case for case in tried if not case.passed] == []
    assert tried == tuple(told)
    assert len({case.name for case in tried}) == len(tried) == len(all_cases()) > 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
@pytest.mark.parametrize("way", ["own", "bwrap"])
def test_all_of_it_passes_for_an_ordinary_user(way: str) -> None:
    program = """
import json, os, sys
from joulemark.code.contain.containment import probe
from joulemark.code.selftest.selftest import run_selftest

assert os.geteuid() != 0
found = probe(prefer_bubblewrap=sys.argv[1] == "bwrap")
tried = run_selftest(found) if found.is_whole else ()
failed = [[case.name, case.expected, case.given] for case in tried if not case.passed]
print(json.dumps([found.missing, found.bubblewrap, len(tried), failed]))
"""
    done = python_as_ordinary_user(program, way, timeout_s=280)
    assert done.returncode == 0, done.stderr
    missing, bubblewrap, n_tried, failed = json.loads(done.stdout)
    if missing or (way == "bwrap" and bubblewrap is None):
        pytest.skip(f"an ordinary user has no such containment here: {missing}")
    assert n_tried > 100
    assert failed == []


def test_the_cases_of_the_issue_are_all_there() -> None:
    wanted = {
        *("empty", "exit_in_call", "hard_exit_in_call", "segmentation_fault", "infinite_loop", "fork_bomb"),
        *(
            "memory_bomb",
            "output_flood",
            "equal_to_everything",
            "printed_verdict",
            "network",
            "setsid_escape",
        ),
        *("patched_clocks", "work_at_import", "honest_threads", "work_in_children", "searches_memory"),
        *("searches_files", "written_to_all", "forged_result", "forged_end"),
    }
    assert wanted <= set(_PROGRAMS)
    files = [one.name for one in (resources.files("joulemark.code.selftest") / "programs").iterdir()]
    assert len(files) == len(_PROGRAMS)
    assert all(case.what and case.expected for case in _PROGRAMS.values())


def test_it_notices_what_does_not_hold(box: Sandbox) -> None:
    cheat = ProgramCase("x", "It solves the task.", "not right", HONEST)
    assert not cheat(box).passed
    assert cheat(box).given.startswith("right")
    free = """
def solve(values, rounds):
    step, shift = pow(31, len(values), 1000003), 0
    for value in values:
        shift = (shift * 31 + value * value) % 1000003
    total = 0
    while rounds:
        if rounds & 1:
            total = (step * total + shift) % 1000003
        shift = (step * shift + shift) % 1000003
        step = step * step % 1000003
        rounds >>= 1
    return total
"""
    unpaid = ProgramCase("x", "It is right and no work is seen.", "right and charged", free)(box)
    assert not unpaid.passed
    assert unpaid.given.startswith("right: 0 ms")
    assert ProgramCase("x", "It is right.", "right", free)(box).passed


def test_less_than_the_whole_does_not_pass() -> None:
    with Sandbox(Containment(False, False, False, ("all of it",)), LIMITS) as bare:
        bomb = _PROGRAMS["fork_bomb"](bare)
        assert not bomb.passed
        assert bomb.given == "not run: this machine cannot give it a list of system calls"
        assert _PROGRAMS["honest"](bare).passed
        reads = next(case for case in MEETING_CASES if case.__name__ == "reads_a_file")(bare)  # type: ignore[attr-defined]
        assert not reads.passed
        assert reads.given == "returned: ('the expected answer',)"


def test_a_case_that_ends_the_sandbox_is_a_failure_and_the_rest_goes_on() -> None:
    def ends_it(sandbox: Sandbox) -> SelfTestCase:
        """Ends the sandbox."""
        sandbox.close()
        sandbox.cell()
        raise AssertionError

    try:
        lost, honest = run_selftest(WHOLE, [ends_it, _PROGRAMS["honest"]])
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    assert (lost.name, lost.passed) == ("ends_it", False)
    assert honest.passed


def test_tasks_differ_and_their_answers_are_those_of_the_honest_program(box: Sandbox) -> None:
    task, other = new_task(), new_task()
    assert task != other
    seen = observe(box, HONEST, task)
    assert (seen.outcome, seen.is_right) == (Outcome.RETURNED, True)
    assert not observe(box, HONEST.replace("31", "32"), task).is_right
    answer = task.answer
    for value in (float(answer), str(answer), [answer], True, None, answer + 1):
        assert not task.is_right(value)


def test_words_meet_an_expectation_by_one_of_its_alternatives() -> None:
    words = {"right", "returned"}
    assert fits(words, "right")
    assert fits(words, "crashed | right")
    assert not fits(words, "right and charged | crashed")
    assert fits({*words, "charged"}, "right and charged")


def test_work_is_charged_wherever_it_was_done() -> None:
    honest = Observed(Outcome.RETURNED, True, "", 50_000_000, 5_000_000)
    for cpu_ns, outside_ns in ((50_000_000, 5_000_000), (0, 55_000_000), (20_000_000, 30_000_000)):
        assert "charged" in Observed(Outcome.RETURNED, True, "", cpu_ns, outside_ns).words(honest)
    assert "charged" not in Observed(Outcome.RETURNED, True, "", 1_000_000, 8_000_000).words(honest)
    assert "charged" not in Observed(Outcome.RETURNED, False, "", 60_000_000, 5_000_000).words(honest)
