"""A wrong program is told with the reason that its runs give."""

from doubles.made_up_code_runs import TIMED_OUT, evaluation, program
from joulemark.metrics.code import samples_of, summarize_code, summary_json
from joulemark.metrics.code.wrong import wrong_of
from joulemark.record.code_run import Outcome
from joulemark.report.code_rows import notes

SYNTAX = "SyntaxError: invalid syntax (<solution>, line 1)"


def runs():
    return [
        program("p", 0),
        program("p", 1, case=0),
        program("p", 1, case=4, correct=False),
        program("p", 2, case=0, outcome=Outcome.NOT_LOADED, correct=False, detail=SYNTAX),
        program("q", 0, case=0, outcome=TIMED_OUT),
    ]


def test_each_wrong_program_has_the_reason_of_its_first_failure():
    found = {(one.problem, one.number): one.why for one in wrong_of(samples_of(runs()))}
    assert found == {
        ("p", 1): "wrong result on test 4",
        ("p", 2): f"not loaded: {SYNTAX}",
        ("q", 0): "timed out",
    }


def test_notes_and_json_say_why():
    summary = summarize_code(runs())
    (said,) = (note for note in notes(summary) if "wrong" in note)
    assert said.startswith("3 programs are wrong: p sample 1: wrong result on test 4; ")
    assert SYNTAX in said
    assert summary_json(summary)["wrong"][1] == {
        "problem": "p",
        "sample": 2,
        "outcome": "not_loaded",
        "case": 0,
        "why": f"not loaded: {SYNTAX}",
    }
    many = summarize_code([program("p", k, case=0, correct=False) for k in range(5)])
    assert "; and 2 more" in notes(many)[0]


def test_where_all_are_right_nothing_is_said():
    assert not any("wrong" in note for note in notes(summarize_code(evaluation([1.0]))))


def test_what_a_program_says_steers_no_terminal():
    evil = program("p", 0, case=0, outcome=Outcome.RAISED, detail="\x1b[2Jgone")
    assert "\x1b" not in notes(summarize_code([evil]))[0]


def test_tests_that_are_named_are_told_how_to_see() -> None:
    (said,) = (note for note in notes(summarize_code(runs())) if "wrong" in note)
    assert said.endswith(
        "as `joulemark code generate-tests PROBLEM` prints them with your --tests as --n and the same --seed."
    )
    none = [program("p", 0, case=0, outcome=Outcome.NOT_LOADED, correct=False, detail=SYNTAX)]
    assert notes(summarize_code(none))[0].endswith("line 1).")
