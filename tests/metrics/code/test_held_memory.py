"""Memory that a program holds before it is called counts as its own."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.made_up_code_runs import MIB, MS, abba, nothing, program
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.held_memory import held_mib
from joulemark.metrics.code.pairs import pairs_of
from joulemark.record.code_run import Purpose


def runs_of(**fields):
    """A right program beside the reference, whose peak is 4 MiB; a program that does nothing has 10 MiB."""
    pairs = abba("p", 0, [20 * MS] * 4, [20 * MS] * 4, peak_bytes=4 * MIB, **fields)
    return [*nothing(), program("p", 0), *pairs]


def held(runs):
    return held_mib(pairs_of(runs)["p", 0], baseline_of(runs))


def test_an_input_is_nobodys_memory():
    assert held(runs_of()) == (0.0, 0.0)
    assert corrected(runs_of()).figures["nmu_corrected"].value == pytest.approx(1.0)


def test_a_table_made_at_import_is_the_programs_memory():
    """It fills 60 MiB before the call, and takes next to nothing in it."""
    runs = runs_of(loaded_bytes=70 * MIB, resident_bytes=72 * MIB)
    assert held(runs) == (0.0, 60.0)
    found = corrected(runs)
    assert found.samples[0].candidate.held_mib == 60.0
    assert found.figures["mu_corrected"].value == pytest.approx(64.0)
    assert found.figures["nmu_corrected"].value == pytest.approx(64.0 / 4.0)


def test_what_is_taken_between_loading_and_the_call_counts_too():
    """Whatever runs while the input is decoded: the reference had the same input and took 2 MiB for it."""
    assert held(runs_of(loaded_bytes=10 * MIB, resident_bytes=42 * MIB)) == (0.0, 30.0)


def test_a_reference_that_holds_memory_is_charged_alike():
    runs = [
        dataclasses.replace(run, loaded_bytes=70 * MIB, resident_bytes=72 * MIB)
        if run.purpose is Purpose.PAIRED
        else run
        for run in runs_of()
    ]
    assert held(runs) == (60.0, 60.0)
    assert corrected(runs).figures["nmu_corrected"].value == pytest.approx(1.0)


def test_it_is_in_the_memory_over_time():
    runs = [
        dataclasses.replace(run, wall_ns=2 * 10**9, memory_above_mib_s=8.0, n_memory_samples=40)
        if run.purpose is Purpose.PAIRED
        else run
        for run in runs_of(loaded_bytes=70 * MIB, resident_bytes=72 * MIB)
    ]
    figures = corrected(runs).figures
    assert figures["tmu_corrected"].value == pytest.approx(8.0 + 60.0 * 2)
    assert figures["ntmu_corrected"].value == pytest.approx(128.0 / 8.0)


def test_what_a_kernels_count_may_be_off_by_is_not_held():
    more = 200 * 1024
    assert held(runs_of(loaded_bytes=10 * MIB + more, resident_bytes=12 * MIB + more)) == (0.0, 0.0)


def test_pages_that_were_touched_while_loading_are_in_the_peak():
    """They are missing in the call, whose peak is above what was resident before it."""
    more = 900 * 1024
    fetched = {"loaded_bytes": 10 * MIB + more, "resident_bytes": 12 * MIB + more}
    runs = [
        dataclasses.replace(run, peak_bytes=run.peak_bytes - more)
        if run.sample == 0 and run.pair is not None
        else run
        for run in runs_of(**fetched)
    ]
    assert held(runs) == (0.0, more / MIB)
    assert corrected(runs).figures["nmu_corrected"].value == pytest.approx(1.0)


def test_what_a_source_leaves_makes_no_difference_to_the_reference():
    """Both stand 0.3 MiB above a program that does nothing: neither counts, whichever side of a floor."""
    near = [250 * 1024, 270 * 1024]
    runs = [
        dataclasses.replace(run, resident_bytes=12 * MIB + near[0 if run.sample is None else 1])
        if run.purpose is Purpose.PAIRED
        else run
        for run in runs_of()
    ]
    runs = [dataclasses.replace(run, loaded_bytes=10 * MIB) for run in runs]
    assert held(runs) == (0.0, 0.0)


def test_who_holds_less_than_a_reference_with_a_table_is_charged_less():
    runs = [
        dataclasses.replace(run, loaded_bytes=70 * MIB, resident_bytes=72 * MIB)
        if run.purpose is Purpose.PAIRED and run.sample is None
        else run
        for run in runs_of(loaded_bytes=20 * MIB, resident_bytes=22 * MIB)
    ]
    assert held(runs) == (60.0, 10.0)


@pytest.mark.parametrize("missing", ["loaded_bytes", "resident_bytes"])
def test_what_was_not_read_is_not_taken_for_nothing(missing):
    runs = [dataclasses.replace(run, **{missing: None}) for run in runs_of()]
    assert held(runs) == (None, None)
    figures = corrected(runs).figures
    assert figures["nmu_corrected"].value is None
    assert "not read" in figures["nmu_corrected"].detail
    assert figures["net_corrected"].value == pytest.approx(1.0)


@given(extra=st.integers(0, 2**34), loaded=st.integers(0, 2**34), inputs=st.integers(0, 2**34))
def test_what_is_held_is_what_was_added_wherever_it_was(extra, loaded, inputs):
    runs = [*nothing(loaded_bytes=loaded), program("p", 0)]
    for run in abba("p", 0, [20 * MS] * 3, [20 * MS] * 3):
        own = extra if run.sample == 0 else 0
        runs.append(dataclasses.replace(run, loaded_bytes=loaded, resident_bytes=loaded + inputs + own))
    of_reference, of_candidate = held(runs)
    assert of_reference == 0.0
    assert of_candidate == pytest.approx(extra / MIB if extra >= MIB / 4 else 0.0, abs=1e-4)
