import dataclasses
import json
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import MIB, MS, RAISED, TIMED_OUT, abba, evaluation, program, whole
from joulemark.code.evaluation.settings import Settings
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code import definition_name, repeat_study, spreads_json, summarize_code, summary_json
from joulemark.metrics.code.by_group import Tags
from joulemark.metrics.code.dps import Cluster
from joulemark.metrics.code.number_of_tests import compare_test_counts
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.summary import ks_of
from joulemark.record.code_run import (
    CANDIDATE,
    REFERENCE,
    THREADS,
    WORK_OUTSIDE_CALL,
    CodeRun,
    Outcome,
    Purpose,
)
from joulemark.record.reason import Reason
from joulemark.report.code_extremes import EXTREMES
from joulemark.report.code_rows import notes, sections

DEFINED = {d.name: d for d in code_definitions()}
# figures of several models or machines, and of one sample
ELSEWHERE = {
    "cpu_ratio",
    "instruction_ratio",
    "growth_exponent",
    "growth_excess",
    "cost_with_runs_at_metered_rate_j",
    "run_at_metered_rate_j",
    "cost_with_runs_modelled_j",
    "cost_with_runs_cpu_s",
    "break_even_runs",
    "rank_agreement_of_models",
    "rank_agreement_of_tasks",
    "net_corrected_quotient",
    "pass_at_1_difference",
}


def full():
    runs = evaluation([1.0, 4.0, 0.5, 2.0], wrong=(3,))
    limited = abba("p04", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=TIMED_OUT, correct=None)
    return [*runs, program("p04", 0, flags=(THREADS,)), *limited]


def test_definitions_are_complete_and_readable():
    for d in code_definitions():
        assert d.title
        assert d.inputs
        assert d.source
        assert d.withheld_when
        assert not set("\\{}") & set(d.formula), d.formula
        assert d.formula in d.tooltip()


def test_every_input_is_a_field_of_a_run_or_a_figure():
    fields = {f"code.{field.name}" for field in dataclasses.fields(CodeRun)}
    others = {"attribution.joules", "rates.watts", "items.cpu_s"}
    for d in code_definitions():
        assert set(d.inputs) <= fields | set(DEFINED) | others, d.name


@pytest.mark.parametrize("runs", [full(), [], evaluation([1.0])])
def test_every_figure_is_defined_in_its_unit_and_every_definition_is_a_figure(runs):
    figures = summarize_code(runs).figures
    for name, value in figures.items():
        assert value.unit == DEFINED[definition_name(name)].unit, name
    assert {definition_name(name) for name in figures} == set(DEFINED) - ELSEWHERE


def test_json_is_strict_and_gives_a_reason_for_every_null():
    tags = {"p00": Tags(("greedy",), "easy")}
    summary = summarize_code(full(), tags=tags, known_s={"p00": [0.1, 1.0]}, clusters={"p00": [Cluster(1.0)]})
    document = summary_json(summary)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for name, value in summary.figures.items():
        assert document[name] == value.value
        assert (document[name] is None) == (name in document["reasons"])
    assert document["by_algorithm"]["greedy"]["net"] == pytest.approx(1.0)
    assert document["by_difficulty"]["easy"]["pass_at_1"] == 1.0
    assert document["beyond"] is not None
    assert document["dps"] == 100.0
    assert [task["problem"] for task in document["tasks"]] == ["p00", "p01", "p02", "p04"]
    assert document["distribution"]["n_at_least"] == 1


def test_counts_add_up():
    counts = summarize_code(full()).counts
    assert counts["n_problems"] == counts["n_samples"] == 5
    assert counts["n_right"] + counts["n_wrong"] + counts["n_unjudged"] == 5
    assert (counts["n_right"], counts["n_wrong"], counts["n_solved"]) == (4, 1, 4)
    known = ("n_timed", "n_censored", "n_failed_scaled", "n_without_reference", "n_not_paired")
    assert sum(counts[name] for name in known) == counts["n_right"]
    assert counts["n_censored"] == 1


def test_the_worst_says_what_is_only_a_lower_bound():
    summary = summarize_code(full())
    first, second = summary.extremes["cpu_ratio"].worst[:2]
    assert (first.problem, first.is_at_least) == ("p04", True)
    assert first.text.startswith("≥ ")
    assert not second.is_at_least
    assert "≥" not in second.text
    assert summary_json(summary)["extremes"]["cpu_ratio"]["worst"][0]["is_at_least"] is True


def test_a_program_that_memory_ended_is_among_the_worst_by_memory():
    ended = abba(
        "big", 0, [20 * MS], [30 * MS], outcome=Outcome.OVER_MEMORY, correct=False, peak_bytes=900 * MIB
    )
    summary = summarize_code([*evaluation([1.0]), program("big", 0), *ended])
    first, second = summary.extremes["memory_ratio"].worst
    assert (first.problem, first.is_at_least, second.is_at_least) == ("big", True, False)
    assert first.value == pytest.approx(900 / 4, rel=0.01)


def test_a_reference_that_failed_is_no_failure_of_the_answer():
    pairs = abba("ref", 0, [20 * MS] * 4, [30 * MS] * 4)
    pairs = [dataclasses.replace(run, outcome=TIMED_OUT) if run.sample is None else run for run in pairs]
    summary = summarize_code([*evaluation([1.0]), program("ref", 0), *pairs])
    assert summary.counts["n_failed_scaled"] == 0
    assert summary.counts["n_without_reference"] == 1
    assert not any("failed on the scaled input" in said for said in notes(summary))
    assert any("no reference to be held against" in said for said in notes(summary))


def test_every_ratio_has_its_worst_and_best():
    summary = summarize_code(evaluation([1.0, 4.0, 0.5]))
    for name in ("net", "ntmu", "cpu_ratio"):
        assert [one.problem for one in summary.extremes[name].worst] == ["p01", "p00", "p02"], name
        assert summary.extremes[name].best[0].problem == "p02"
    assert set(summary.extremes) == set(EXTREMES)
    assert summary.extremes["net"].worst[0].value == pytest.approx(4.0)
    limited = [*evaluation([1.0]), program("slow", 0), whole("slow", None, wall_s=0.1)]
    limited.append(whole("slow", 0, wall_s=3.0, outcome=TIMED_OUT))
    first = summarize_code(limited).extremes["net"].worst[0]
    assert (first.problem, first.is_at_least, first.value) == ("slow", True, pytest.approx(30))


def test_flags_are_counted_by_sample():
    assert summarize_code(full()).flags == {THREADS: 1}


def test_work_outside_the_call_is_flagged_where_it_is_charged():
    runs = evaluation([1.0, 1.0], n_pairs=4)
    early = [
        dataclasses.replace(run, cpu_around_ns=65 * MS)
        if (run.problem, run.sample, run.purpose) == ("p00", 0, Purpose.PAIRED)
        else run
        for run in runs
    ]
    assert summarize_code(runs).flags == {}
    found = summarize_code(early)
    assert found.flags == {WORK_OUTSIDE_CALL: 1}
    charged, free = summary_json(found)["tasks"]
    assert charged["outside_s"] == pytest.approx(0.06)
    assert charged["cpu_ratio"] == pytest.approx(4.0, rel=0.05)
    assert free["outside_s"] == 0.0


@pytest.mark.parametrize(("more_ms", "flags"), [(0.7, {}), (2.0, {WORK_OUTSIDE_CALL: 1})])
def test_loading_is_told_where_it_makes_a_ratio_greater_by_over_five_percent(more_ms, flags):
    runs = [
        dataclasses.replace(run, cpu_around_ns=5 * MS + round(more_ms * MS))
        if run.sample == 0 and run.purpose is Purpose.PAIRED
        else run
        for run in evaluation([1.0], n_pairs=7)
    ]
    found = summarize_code(runs)
    assert found.flags == flags
    assert summary_json(found)["tasks"][0]["outside_s"] == pytest.approx(more_ms / 1000)


def test_work_outside_the_call_is_flagged_without_a_scaled_input_too():
    runs = [program("p", 0), whole("p", None, wall_s=0.1, cpu_around_ns=9 * MS)]
    assert summarize_code([*runs, whole("p", 0, wall_s=0.1, cpu_around_ns=12 * MS)]).flags == {}
    runs.append(whole("p", 0, wall_s=0.1, cpu_around_ns=50 * MS))
    assert summarize_code(runs).flags == {WORK_OUTSIDE_CALL: 1}


def around_the_call(n_charged):
    """Pairs of which ``n_charged`` of ten have 20 ms of work after the call."""
    return [
        dataclasses.replace(run, cpu_after_ns=20 * MS if run.sample == 0 and run.pair < n_charged else 0)
        if run.purpose is Purpose.PAIRED
        else run
        for run in evaluation([1.0], n_pairs=10)
    ]


def test_a_chance_in_few_pairs_accuses_nobody():
    assert summarize_code(around_the_call(1)).flags == {}
    found = summarize_code(around_the_call(10))
    assert found.flagged == {WORK_OUTSIDE_CALL: (("p00", 0),)}
    assert summary_json(found)["flagged"] == {WORK_OUTSIDE_CALL: [{"problem": "p00", "sample": 0}]}
    assert notes(found)[0].startswith("1 program (p00 sample 0, 20 ms a run): it took more outside the call")
    assert summary_json(found)["outside_call"] == [
        {"problem": "p00", "sample": 0, "cpu_s": pytest.approx(0.02)}
    ]


def test_every_ratio_of_a_task_is_a_number_or_has_a_reason():
    for task in summary_json(summarize_code(full()))["tasks"]:
        for name in ("cpu_ratio", "memory_ratio", "memory_time_ratio", "instruction_ratio"):
            assert (task[name] is None) == (name in task["reasons"])


def test_k_is_as_large_as_every_problem_allows():
    runs = [program("p", number) for number in range(7)] + [program("q", number) for number in range(5)]
    assert {"pass_at_1", "pass_at_5"} <= set(summarize_code(runs).figures)
    assert "pass_at_10" not in summarize_code(runs).figures


def test_an_infinite_loop_an_exit_and_a_crash_pass_nothing():
    runs = [
        program(f"p{k}", 0, outcome=outcome)
        for k, outcome in enumerate((TIMED_OUT, Outcome.EXITED, Outcome.CRASHED))
    ]
    figures = summarize_code(runs).figures
    assert figures["pass_at_1"].value == 0.0
    assert {v.value for name, v in figures.items() if name not in ("pass_at_1", "efficient_at_1")} == {None}


runs_of_anything = st.lists(
    st.builds(
        CodeRun,
        problem=st.sampled_from(["p", "q"]),
        program=st.just("x"),
        role=st.sampled_from([REFERENCE, CANDIDATE]),
        purpose=st.sampled_from(list(Purpose)),
        outcome=st.sampled_from(list(Outcome)),
        correct=st.sampled_from([None, True, False]),
        sample=st.sampled_from([None, 0, 1]),
        case=st.sampled_from([None, 0, 1]),
        size=st.sampled_from([None, 0, 1, 10, 100, 1000]),
        level=st.sampled_from([None, 0, 1, 3]),
        pair=st.sampled_from([None, 0, 1]),
        position=st.sampled_from([None, 0, 1]),
        cpu_ns=st.none() | st.integers(0, 10**10),
        cpu_around_ns=st.none() | st.integers(0, 10**10),
        wall_ns=st.none() | st.integers(0, 10**10),
        instructions=st.none() | st.integers(0, 10**10),
        peak_bytes=st.none() | st.integers(0, 10**10),
        resident_bytes=st.none() | st.integers(0, 10**10),
        loaded_bytes=st.none() | st.integers(0, 10**10),
        queued_ns=st.none() | st.integers(0, 10**10),
        memory_mib_s=st.none() | st.floats(0, 1e6),
        memory_above_mib_s=st.none() | st.floats(0, 1e6),
        n_memory_samples=st.none() | st.integers(0, 100),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(runs_of_anything)
def test_any_runs_give_a_summary_or_reasons_and_never_an_error(runs):
    summary = summarize_code(runs, known_s={"p": [0.1, 1.0]}, clusters={"p": [Cluster(0.1, 2)]})
    document = summary_json(summary)
    json.dumps(document, allow_nan=False)
    for name, value in summary.figures.items():
        assert value.unit == DEFINED[definition_name(name)].unit
        assert (value.value is None) == (value.reason is not None)


def test_more_tests_catch_what_few_let_pass():
    few = [program("p", 0), program("q", 0)]
    many = [*few, program("q", 0, case=9, correct=False)]
    ten, thousand = compare_test_counts({1000: many, 10: few})
    assert (ten.n_tests, thousand.n_tests) == (10, 1000)
    assert (ten.n_false_passes, ten.n_judged) == (1, 2)
    assert thousand.n_false_passes == 0
    assert ten.differences["pass_at_1"].value == pytest.approx(1.0)
    assert thousand.differences["pass_at_1"].value == 0.0
    assert ten.differences["net"].value is None
    assert compare_test_counts({}) == ()


def test_repeats_have_a_spread():
    figures = [summarize_code(evaluation([1.0, 4.0], seed=seed, noise=0.02)).figures for seed in range(4)]
    spreads = repeat_study(figures)
    assert spreads["net_corrected"].n == 4
    assert 0 < spreads["net_corrected"].sigma < 0.1
    assert spreads["net_corrected"].mean == pytest.approx(2.0, rel=0.05)
    assert spreads["dps"].reason is Reason.NOT_MEASURED
    assert json.dumps(spreads_json(spreads), allow_nan=False)
    assert repeat_study(figures[:1])["pass_at_1"].reason is Reason.SINGLE_RUN
    assert repeat_study([figures[0], {}])["pass_at_1"].mean is None


def test_pass_at_k_is_told_for_as_many_samples_as_every_problem_has():
    runs = [program(f"p{n}", k, case=0, correct=k > n) for n in range(2) for k in range(3)]
    found = summarize_code(runs).figures
    assert [name for name in found if name.startswith("pass_at_")] == ["pass_at_1", "pass_at_3"]
    assert found["pass_at_3"].value == 1.0
    assert ks_of(samples_of([*runs, program("p2", 0)])) == (1,)
    many = [program("p", k) for k in range(12)]
    assert ks_of(samples_of(many)) == (1, 5, 10, 12)
    (right, *_) = sections(SimpleNamespace(settings=Settings()), summarize_code(runs))
    assert [row.title for row in right.rows] == ["pass@1", "pass@3"]


def beyond_tests():
    """Programs that pass their tests and are wrong: on the scaled input, in one process, on a level."""
    names = {
        "s": abba("s", 0, [20 * MS] * 2, [MS] * 2, correct=False),
        "w": [whole("w", None, wall_s=0.5), whole("w", 0, wall_s=0.01, correct=False)],
        "l": [program("l", 0, Purpose.LEVEL, level=1, correct=False)],
    }
    return [*evaluation([1.0]), *(run for name, runs in names.items() for run in (program(name, 0), *runs))]


def test_where_a_program_was_wrong_beyond_its_tests_is_told():
    summary = summarize_code(beyond_tests(), known_s={"w": [0.1, 0.4]})
    wheres = ("n_wrong_beyond_tests", "n_wrong_scaled", "n_wrong_whole", "n_wrong_on_levels")
    assert [summary.counts[name] for name in wheres] == [3, 1, 1, 1]
    # p00 has pairs and did not fail; s failed on the scaled input; w and l met none
    assert (summary.figures["failed_scaled_share"].value, summary.figures["failed_scaled_share"].n) == (
        0.5,
        2,
    )
    assert summary.figures["et"].n == 1
    assert summary.figures["beyond"].value == 0.0
    (note,) = [said for said in notes(summary) if "pass all tests" in said]
    assert "1 on larger inputs; 1 with all tests in one process" in note
    alone = summarize_code([run for run in beyond_tests() if run.problem not in ("s", "l")])
    (note,) = [said for said in notes(alone) if "all tests" in said]
    assert "larger" not in note
    assert not any("wrong elsewhere" in said for said in notes(summarize_code(evaluation([1.0]))))


def test_the_ten_worst_say_how_many_have_no_place():
    """What a limit ended has no memory over time, what raised no time at all: either may be the worst."""
    limited = abba("slow", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=TIMED_OUT, correct=None)
    raised = abba("fails", 0, [20 * MS] * 3, [MS] * 3, outcome=RAISED, correct=None)
    sampled = {"memory_above_mib_s": 0.05, "n_memory_samples": 50, "wall_ns": 20 * MS}
    runs = [
        dataclasses.replace(run, **sampled)
        if run.purpose is Purpose.PAIRED and run.outcome is Outcome.RETURNED
        else run
        for run in [*evaluation([1.0, 4.0]), program("slow", 0), *limited, program("fails", 0), *raised]
    ]
    runs += [whole(name, None, wall_s=0.1) for name in ("slow", "fails")]
    runs += [whole("slow", 0, wall_s=3.0, outcome=TIMED_OUT), whole("fails", 0, wall_s=0, outcome=RAISED)]
    found = summarize_code(runs).extremes
    placed = {name: ([one.problem for one in of.worst], of.n_unplaced) for name, of in found.items()}
    assert placed["cpu_ratio"] == (["slow", "p01", "p00"], 1)
    assert (set(placed["memory_time_ratio"][0]), placed["memory_time_ratio"][1]) == ({"p00", "p01"}, 2)
    assert placed["growth_excess"] == ([], 2)
    assert placed["net"] == (["slow", "p01", "p00"], 1)
    assert (set(placed["ntmu"][0]), placed["ntmu"][1]) == ({"p00", "p01"}, 2)
    assert summary_json(summarize_code(runs))["extremes"]["cpu_ratio"]["n_unplaced"] == 1
    sound = summarize_code(evaluation([1.0])).extremes
    assert [
        sound[name].n_unplaced for name in ("cpu_ratio", "memory_ratio", "growth_excess", "net", "ntmu")
    ] == [0] * 5


def test_memory_that_nobody_can_tell_from_none_is_no_lack_of_a_place():
    runs = [
        dataclasses.replace(run, peak_bytes=8192) if run.purpose is Purpose.PAIRED else run
        for run in evaluation([1.0, 4.0])
    ]
    found = summarize_code(runs).extremes["memory_ratio"]
    assert (found.worst, found.n_unplaced) == ((), 0)
