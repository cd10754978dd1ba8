"""A published batch and a day that does not make it up; tables of published rows, what lacks an accuracy, and
which of those that were ruled out is the nearest."""

import dataclasses

import pytest

from doubles.pickables import candidate
from doubles.points import point
from joulemark.metrics.picking import (
    Bound,
    Named,
    Spread,
    Wanted,
    columns,
    declared,
    pick,
    published_candidate,
    shortlist,
)
from joulemark.metrics.picking.pick import not_full
from joulemark.metrics.picking.price import price
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.report.pick_table import missing_lines, note_lines, rank_rows
from joulemark.report.pick_words import leads, table_title, title

UNKNOWN = withheld("1", Reason.NOT_PUBLISHED)


def published(label="batch 256", task="chat", tpot_s=0.05, batch=256, energy=60.0, **fields):
    latencies = {} if tpot_s is None else {"tpot_mean": Value(tpot_s, "s")}
    made = dataclasses.replace(
        point(label=label, kind="published", tier=None),
        energy_j=Value(energy, "J", interval_reason=Reason.NOT_PUBLISHED),
        mean_completion_tokens=200.0,
        task=task,
        latencies_s=latencies,
        accuracy=UNKNOWN,
        settings={"max_batch": batch},
        questions=None,
        **fields,
    )
    return published_candidate(made, Rates())


def day(requests=1000.0, output=300.0):
    return declared(Spread(1200), Spread(output), requests)


def test_a_day_that_never_makes_up_the_batch_is_told_beside_the_answer():
    found = pick([published(), published("batch 64", batch=64, energy=70.0)], day(), Wanted("joules"))
    told = " ".join(leads(found))
    assert "up to 256 requests in a batch; 1,000 a day are one in 86 s, each over before the next" in told
    assert "modelled from a published row of chat" in told
    assert sum("in a batch" in note for note in found.notes) == 1
    assert rank_rows(found, found.tables[0])[0].beside == "priced by output tokens alone"
    busy = not_full(price(published(), day(500_000)))
    assert "87 at a time" in busy  # 500,000 × 15 s / 86,400 s


@pytest.mark.parametrize(
    ("row", "asked"),
    [
        (published(batch=1), day()),
        (published(), day(2_000_000)),
        (published(), declared(Spread(1), Spread(300))),
        (published(tpot_s=None), day(100_000)),
    ],
)
def test_nothing_is_told_of_a_batch_that_is_full_or_not_known_not_to_be(row, asked):
    assert not_full(price(row, asked)) == ""


def test_without_any_time_requests_minutes_apart_are_told():
    assert "one in 86 s. Its joules" in not_full(price(published(tpot_s=None), day()))


def test_tasks_of_published_rows_have_tables_of_their_own():
    among = [published("a"), published("b", energy=90.0), published("c", task="code", energy=20.0)]
    found = pick(among, day(), Wanted("joules"))
    assert [(t.task, len(t.rows)) for t in found.tables] == [("chat", 2), ("code", 1)]
    assert table_title(found.tables[0]).endswith("task chat")
    short = shortlist(columns(among), day(), Wanted("joules"), Rates())
    assert [(t.task, len(t.rows)) for t in short.found.tables] == [("chat", 2), ("code", 1)]


def test_what_lacks_only_its_accuracy_is_counted_and_says_so():
    among = [published("a"), published("b", tpot_s=0.2), published("c", unit="image")]
    wanted = Wanted(constraints=(Bound("tpot_mean", 0.1),))
    found = pick(among, day(), wanted)
    assert [one.text.startswith("Its accuracy is not known") for one in found.not_priced] == [1, 1, 0]
    short = shortlist(columns(among), day(), wanted, Rates())
    assert found.n_per_request == short.found.n_per_request == 1
    assert (
        "1 configuration lacks only its accuracy: rank by energy per request (`--by joules`)"
        in leads(found)[1]
    )
    again = pick(among, day(), Wanted("joules", wanted.constraints))
    assert sum(len(table.rows) for table in again.tables) == 1, "as many as were promised"


def test_the_nearest_of_those_that_are_ruled_out_come_first():
    among = [published(f"{ms} ms", tpot_s=ms / 1e3, energy=1000.0 - ms) for ms in (400, 105, 900, 200)]
    among += [published("none", tpot_s=None, energy=1.0), published("other", task="code", tpot_s=0.101)]
    wanted = Wanted("joules", (Bound("tpot_mean", 0.1), Named("task", "chat")))
    expected = ["105 ms", "200 ms", "400 ms", "900 ms", "none", "other"]
    found = pick(among, day(), wanted).ruled_out
    short = shortlist(columns(among), day(), wanted, Rates()).found.ruled_out
    for ruled_out in (found, short):
        assert [one.priced.candidate.point.label for one in ruled_out] == expected


def test_the_heading_repeats_the_limits_as_they_were_understood():
    wanted = Wanted("joules", (Bound("tpot_mean", 0.1), Bound("accuracy", 0.7, at_least=True)))
    said = title(pick([published()], day(), wanted))
    assert "mean time per output token of at most 100.0 ms, accuracy of at least 70.00 %" in said


def test_one_line_for_all_rows_that_lack_a_figure_of_the_day_for_one_reason():
    found = pick([published(str(k), energy=60.0 + k) for k in range(30)], day(), Wanted("joules"))
    lines = missing_lines(found)
    assert len(lines) == 2
    assert all("and 29 more" in line for line in lines)
    assert len(note_lines(found.tables[0], 24)) <= 1
    assert sum("in a batch" in line or "The same" in line for line in found.notes) == 2


def test_a_simulated_row_never_stands_before_a_published_one():
    fast = candidate("sim", 5, factor=0.01, noise_j=0.01, point_fields={"kind": "simulated", "tier": None})
    found = pick([fast, published()], day(), Wanted("joules"))
    assert [table.kind for table in found.tables] == ["published", "simulated"]
    assert any("Measured rows stand first" in line for line in leads(found))
