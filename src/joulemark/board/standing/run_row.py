"""A single run as a row of the leaderboard: its figures with their reasons, and why it may be unranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.configuration import (
    Configuration,
    configuration_of,
    is_loaded,
    load_words,
    table_of,
    task_name,
)
from joulemark.board.standing.figure_names import ENERGY, HEADLINE, LATENCIES, OF_ENERGY, PLAIN
from joulemark.board.standing.figures import figure_from, inverse, ratio
from joulemark.board.standing.own_questions import comes_with_us, why_not_its_questions
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.money import usd_per_correct_answer
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value, withheld
from joulemark.report.busy import busy_reason
from joulemark.report.wording import printable
from joulemark.tasks.registry import built_in_tasks
from joulemark.tasks.suites import SUITES

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView
    from joulemark.record.manifest import Manifest

CANARY = "A canary task warns that something is off, and tells nothing of a model."
INCOMPLETE = "The run is not complete: not all of its questions were asked."
STOPPED = "It was stopped early, so a part of its questions stands for all."
LISTED = "A list named its questions, so they stand for no others."
OWN = "Its questions are a user's own, which nobody else can ask."
LOADED = "It was asked under a load, not as its task is: energies under different loads are no ranking."
NOT_HERE = (
    "The board does not hold the questions of this task: that these are answers to them, and which are "
    "right, is its submitter's word."
)
OTHERWISE = "It was asked otherwise than its task or suite is."


def row_of_run(view: RunView, summary: Summary, point: OperatingPoint) -> BoardRow:
    """Return the row that a run is by itself; ``runs`` and all that is about several are left empty."""
    manifest = view.manifest
    made: Configuration = configuration_of(view, point)
    load, task = load_words(manifest.load), task_name(manifest.task)
    why = "" if point.kind == "published" else why_not_ranked(view, point)
    return BoardRow(
        id=made.id,
        kind=point.kind,
        table=table_of(
            kind=point.kind,
            tier=point.tier,
            scope=point.scope,
            task=task,
            questions=point.questions,
            unit=point.unit,
            load=load,
        ),
        model=point.model,
        task=task,
        questions=point.questions,
        unit=point.unit,
        engine=manifest.engine.kind,
        engine_version=manifest.engine.version,
        quantization=manifest.engine.quantization,
        hardware=point.device,
        n_devices=point.n_devices,
        tier=point.tier,
        scope=point.scope,
        load=load,
        settings=made.settings,
        figures={name: figure_from(value) for name, value in run_values(view, summary, point).items()},
        is_canary=is_canary(manifest),
        is_ranked=not why,
        why_not_ranked=why,
        streamed=summary.streaming_used,
        energy_source=summary.energy_source,
        measured_at=None,
        notes=tuple(_notes(manifest, summary, point)),
        n_questions=_n_questions(manifest),
        times_not_comparable=printable(busy_reason(summary)),
    )


def run_values(view: RunView, summary: Summary, point: OperatingPoint) -> Mapping[str, Value]:
    """Return what a row shows of a run, by name.

    Energy, power, rates and latencies are those of the operating point: of a loaded run its steady state, and
    nothing where the point is in doubt. What is made of an energy is then in the same doubt.
    """
    loaded, rates = is_loaded(load_words(view.manifest.load)), view.rates
    found: dict[str, Value] = {HEADLINE: point.joules_per_correct, ENERGY: point.energy_j}
    found |= {name: summary.figures[name] for name in PLAIN}
    found["accuracy"] = point.accuracy
    found["tokens_per_second"], found["mean_power_w"] = point.tokens_per_second, point.mean_power_w
    found["usd_per_correct_answer"] = usd_per_correct_answer(
        point.joules_per_correct,
        view.measured_items,
        rates,
        local=view.manifest.engine.local,
        real_valued=view.real_valued,
    )
    found["gco2e_per_correct_answer"] = gco2e(point.joules_per_correct, rates)
    if loaded:
        found["ipj"] = inverse(point.joules_per_correct, "1/J")
        if found["accuracy_per_watt"].value is not None:
            found["accuracy_per_watt"] = ratio(point.accuracy, point.mean_power_w, "1/W")
    doubt = point.energy_j
    if doubt.reason is not None and summary.figures["total_joules"].value is not None:
        for name in OF_ENERGY:
            if found[name].value is not None:
                found[name] = withheld(found[name].unit, doubt.reason, detail=doubt.detail)
    found |= {name: figure_of(point, name) for name in LATENCIES}
    return found


def is_canary(manifest: Manifest) -> bool:
    """Tell whether the task is a canary: it says so, or we know it to be one."""
    known = built_in_tasks().get(manifest.task.name)
    return manifest.task.is_canary or (known is not None and known.is_canary)


def why_not_ranked(view: RunView, point: OperatingPoint) -> str:
    """Return why a run enters no ranking, or nothing. Its client's word can only narrow this."""
    manifest = view.manifest
    if is_canary(manifest):
        return CANARY
    if point.late:
        return point.late
    if manifest.state != "complete":
        return INCOMPLETE
    if manifest.stop is not None and manifest.stop.stopped is not None:
        return STOPPED
    if manifest.task.is_listed:
        return LISTED
    if manifest.task.name not in built_in_tasks():
        return OWN
    suite = SUITES.get(manifest.suite or "")
    if suite is not None and not suite.may_rank:
        told = suite.standing.removeprefix("not ranked: ")
        return f"{told[:1].upper()}{told[1:]}."
    if manifest.load.mode != "sequential":
        return LOADED
    # questions that a board picked are other ones than the task's own, and have a table of their own
    if not manifest.may_rank and manifest.task.nonce is None:
        return OTHERWISE
    return why_not_its_questions(manifest, view.measured_items)


def _n_questions(manifest: Manifest) -> int | None:
    """Return how many questions the digest is of; of made-up requests the load says how many."""
    return manifest.task.n_items if manifest.task.items_hash is not None else None


def _notes(manifest: Manifest, summary: Summary, point: OperatingPoint) -> Iterator[str]:
    if summary.figures["accuracy"].value is not None and not comes_with_us(manifest.task.name):
        yield NOT_HERE
    yield from (printable(note) for note in point.notes)
    yield from (printable(one.text) for one in summary.caveats if one.loud)
