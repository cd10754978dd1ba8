"""What a program does around its call is charged to its call, in every figure."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.made_up_code_runs import MIB, MS, nothing, program
from joulemark.metrics.code.charged import AROUND_SLACK_NS, charged
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import CANDIDATE, WORK_OUTSIDE_CALL, Purpose

SEEN = {
    "cpu_around_ns": 6 * MS,
    "cpu_before_ns": MS,
    "cpu_after_ns": MS,
    "wall_after_ns": MS,
    "resident_bytes": 12 * MIB,
    "loaded_bytes": 10 * MIB,
    "peak_before_bytes": MIB,
    "ended_bytes": MIB,
    "peak_after_bytes": MIB,
    "peak_bytes": 4 * MIB,
    "n_memory_samples": 20,
}


def run(sample, purpose, cpu_ms, **fields):
    area = cpu_ms / 1e3 * 14
    seen = {
        "cpu_ns": cpu_ms * MS,
        "wall_ns": cpu_ms * MS,
        "memory_mib_s": area,
        "memory_above_mib_s": area / 7,
    }
    seen |= {"cpu_inside_ns": cpu_ms * MS}
    return program("p", sample, purpose, **{**SEEN, **seen, **fields})


def made(change=lambda row: row, n_pairs=7):
    """One right answer that takes what the reference takes, but for what ``change`` does to its rows."""
    found = [*nothing(), program("p", 0, case=0), run(None, Purpose.WHOLE, 20), run(0, Purpose.WHOLE, 20)]
    for k in range(n_pairs):
        found.append(run(None, Purpose.PAIRED, 20, pair=k, position=0, size=1000))
        found.append(run(0, Purpose.PAIRED, 20, pair=k, position=1, size=1000))
    for k, size in enumerate((1000, 2000, 4000, 8000)):
        for sample in (None, 0):
            place = {"size": size, "case": k, "pair": k, "position": 0 if sample is None else 1}
            found.append(run(sample, Purpose.GROWTH, 10 * 2**k, **place))
    for level in range(4):
        for repeat in range(6):
            place = {"level": level, "case": level, "pair": repeat}
            found += [run(sample, Purpose.LEVEL, 5, **place) for sample in (None, 0)]
    return [change(row) for row in found]


MEASURED = (Purpose.WHOLE, Purpose.PAIRED, Purpose.GROWTH, Purpose.LEVEL)


def hiding(row):
    """The same program, which says that it is done at once: its work and memory come before its result."""
    if row.role != CANDIDATE or row.purpose not in MEASURED:
        return row
    return dataclasses.replace(
        row,
        cpu_ns=50_000,
        cpu_inside_ns=1,
        wall_ns=50_000,
        cpu_after_ns=row.cpu_ns + row.cpu_after_ns,
        wall_after_ns=row.wall_ns + row.wall_after_ns,
        cpu_around_ns=row.cpu_ns + row.cpu_around_ns,
        peak_bytes=0,
        ended_bytes=0,
        peak_after_bytes=row.peak_bytes + MIB,
        memory_mib_s=None,
        memory_above_mib_s=None,
        n_memory_samples=1,
    )


@pytest.mark.parametrize(
    "figure",
    ["net", "net_star", "eff_at_1", "nmu_corrected", "net_corrected", "growth_excess_mean", "nmu", "speedup"],
)
def test_a_program_that_says_it_is_done_first_has_the_figures_of_an_honest_one(figure):
    honest = summarize_code(made()).figures[figure].value
    found = summarize_code(made(hiding)).figures[figure].value
    assert honest is not None
    assert found == pytest.approx(honest, rel=0.02, abs=0.01)


@pytest.mark.parametrize("figure", ["ntmu", "ntmu_corrected"])
def test_memory_over_time_of_one_that_hides_is_no_less(figure):
    honest, found = (summarize_code(made(change)).figures[figure].value for change in (lambda r: r, hiding))
    assert found >= honest


def test_it_is_flagged_once():
    assert summarize_code(made(hiding)).flags == {WORK_OUTSIDE_CALL: 1}
    assert summarize_code(made()).flags == {}


@pytest.mark.parametrize(
    ("field", "more", "charged_field"),
    [
        ("cpu_before_ns", 5 * MS, "cpu_ns"),
        ("cpu_after_ns", 5 * MS, "cpu_ns"),
        ("wall_after_ns", 900 * MS, "wall_ns"),
        ("peak_before_bytes", 50 * MIB, "peak_bytes"),
    ],
)
def test_each_way_of_hiding(field, more, charged_field):
    reference = run(None, Purpose.PAIRED, 20, size=1, pair=0, position=0)
    mine = run(0, Purpose.PAIRED, 20, size=1, pair=0, position=1)
    mine = dataclasses.replace(mine, **{field: getattr(mine, field) + more})
    found = charged([reference, mine])[1]
    usual = 0 if charged_field == "peak_bytes" else getattr(reference, charged_field)
    assert getattr(found, charged_field) == usual + more
    assert WORK_OUTSIDE_CALL in found.flags


def test_a_result_that_costs_the_reference_as_much_is_no_work():
    """A large result is large for everyone."""
    large = {"cpu_after_ns": 80 * MS, "cpu_around_ns": 86 * MS, "peak_after_bytes": 90 * MIB}
    reference = run(None, Purpose.PAIRED, 20, size=1, pair=0, position=0, **large)
    large |= {"cpu_after_ns": 90 * MS, "peak_after_bytes": 95 * MIB}
    mine = run(0, Purpose.PAIRED, 20, size=1, pair=0, position=1, **large)
    found = charged([reference, mine])[1]
    assert (found.flags, found.peak_bytes) == ((), mine.peak_bytes)


def test_chance_around_a_call_goes_either_way():
    """Charged where it is more and never credited where it is less, it would make honest programs slow."""
    reference = run(None, Purpose.PAIRED, 20, size=1, pair=0, position=0, cpu_before_ns=90 * MS)
    for more in (-3 * MS, 3 * MS):
        mine = run(0, Purpose.PAIRED, 20, size=1, pair=0, position=1, cpu_before_ns=90 * MS + more)
        found = charged([reference, mine])[1]
        assert found.cpu_ns == 20 * MS + more
        assert found.flags == ()
    lucky = run(0, Purpose.PAIRED, 20, size=1, pair=0, position=1, cpu_before_ns=40 * MS)
    assert charged([reference, lucky])[1].cpu_ns == 16 * MS


def test_who_always_takes_less_around_the_call_than_the_reference_ever_did_gains_nothing():
    """A program that switches off what is done before its call would take that for its own speed."""
    rows = []
    for pair, chance in enumerate((-1, 0, 2, 1)):
        large = {"size": 1, "pair": pair, "cpu_around_ns": 95 * MS}
        before = (60 + chance) * MS
        rows.append(run(None, Purpose.PAIRED, 24, position=0, cpu_before_ns=before, **large))
        rows.append(run(0, Purpose.PAIRED, 24, position=1, cpu_before_ns=before - 6 * MS, **large))
    assert {one.cpu_ns for one in charged(rows)} == {24 * MS}
    honest = [dataclasses.replace(one, cpu_before_ns=one.cpu_before_ns + 5 * MS) for one in rows[1::2]]
    found = charged([one for two in zip(rows[::2], honest, strict=True) for one in two])
    assert {one.cpu_ns for one in found[1::2]} == {23 * MS}


def test_no_share_of_a_large_input_is_free():
    """A fifth of the time that it takes to read one would be more than the whole call."""
    large = {"size": 1, "pair": 0, "cpu_around_ns": 490 * MS}
    reference = run(None, Purpose.PAIRED, 43, position=0, cpu_before_ns=480 * MS, **large)
    mine = run(0, Purpose.PAIRED, 1, position=1, cpu_before_ns=522 * MS, **large)
    assert charged([reference, mine])[1].cpu_ns == 43 * MS


def test_work_at_import_is_in_the_time_of_all_tests():
    reference = run(None, Purpose.WHOLE, 20)
    mine = dataclasses.replace(run(0, Purpose.WHOLE, 1), cpu_around_ns=SEEN["cpu_around_ns"] + 19 * MS)
    found = charged([reference, mine])[1]
    assert found.wall_ns == found.cpu_ns == 20 * MS


def on_levels(more_after_us):
    """One right answer whose calls on levels take what the reference takes, with so much more after them."""
    us = MS // 1000
    short = {"cpu_ns": 180 * us, "cpu_inside_ns": 140 * us, "cpu_before_ns": 90 * us, "peak_after_bytes": 0}
    found = [*nothing(), program("p", 0, case=0)]
    for level in range(4):
        for repeat in range(6):
            for sample in (None, 0):
                after_us = 270 + 2 * repeat + (0 if sample is None else more_after_us[level][repeat])
                place = {"level": level, "case": 0, "pair": repeat, "size": 10 * level}
                rest = {"cpu_after_ns": after_us * us, "cpu_around_ns": MS, "wall_after_ns": after_us * us}
                found.append(run(sample, Purpose.LEVEL, 1, **{**short, **rest, **place}))
    return found


@pytest.mark.parametrize(
    "more_after_us",
    [
        [[107, 106, 110, 105, 141, 107]] * 4,  # its results are floats, the reference's are whole numbers
        [[0, 190, 0, 195, 0, 205]] * 4,  # what comes in half of all programs' runs came to the other half
        [[700, 0, 0, 0, 0, 0], *[[0] * 6] * 3],  # the machine did something else
    ],
)
def test_what_honest_programs_differ_by_around_calls_of_microseconds_is_no_work(more_after_us):
    rows = on_levels(more_after_us)
    assert summarize_code(rows).flags == {}
    usual = summarize_code(on_levels([[0] * 6] * 4)).figures["eff_at_1"].value
    assert summarize_code(rows).figures["eff_at_1"].value == pytest.approx(usual, abs=0.1)


def test_work_around_short_calls_is_told_and_costs_the_score():
    rows = on_levels([[600] * 6] * 4)
    assert summarize_code(rows).flags == {WORK_OUTSIDE_CALL: 1}
    assert summarize_code(rows).figures["eff_at_1"].value == 0


@given(st.integers(0, 3000))
def test_on_levels_what_is_beyond_the_references_slowest_run_and_a_tenth_of_a_ms_is_paid(hidden_us):
    """No more, so that nobody loses by a little more all at once; and the clock inside is told of it too."""
    rows = charged(on_levels([[hidden_us] * 6] * 4))
    for one in rows:
        if one.purpose is Purpose.LEVEL and one.role == CANDIDATE:
            paid_us = max(0, hidden_us + 2 * one.pair - 10 - 100)
            assert (one.cpu_ns, one.cpu_inside_ns) == ((180 + paid_us) * 1000, (140 + paid_us) * 1000)
    assert charged(rows) == rows


def test_what_the_machine_did_beside_one_answer_is_not_free_for_the_next():
    """Answers have inputs of their own, and each is held against the reference's runs on these."""
    place = {"level": 1, "case": 0, "size": 10}
    disturbed = run(None, Purpose.LEVEL, 1, **place, pair=0, cpu_after_ns=9 * MS)
    beside = [run(None, Purpose.LEVEL, 1, **place, pair=pair) for pair in range(6, 12)]
    mine = run(1, Purpose.LEVEL, 1, **place, pair=6, cpu_after_ns=4 * MS)
    assert charged([disturbed, *beside, mine])[-1].cpu_ns == MS + 3 * MS - MS // 10


def test_what_ended_and_what_has_no_reference_stays_as_it_is():
    alone = hiding(run(0, Purpose.PAIRED, 20, size=1))
    assert charged([alone]) == (alone,)


@given(st.integers(0, 200 * MS), st.integers(0, 200 * MS), st.integers(0, 100 * MIB))
def test_a_program_gains_no_more_than_the_slack_and_charging_twice_changes_nothing(before, after, peak):
    reference = run(None, Purpose.PAIRED, 20, size=1, pair=0, position=0)
    mine = run(
        0,
        Purpose.PAIRED,
        1,
        size=1,
        pair=0,
        position=1,
        cpu_before_ns=before,
        cpu_after_ns=after,
        cpu_around_ns=before + after + 4 * MS,
        peak_after_bytes=peak,
    )
    once = charged([reference, mine])
    assert charged(tuple(once)) == once
    usual = SEEN["cpu_before_ns"] + SEEN["cpu_after_ns"]
    assert once[1].cpu_ns >= MS + before + after - usual - AROUND_SLACK_NS
    assert once[1].cpu_ns <= MS + before + after
    assert once[1].peak_bytes >= min(peak, 4 * MIB)
