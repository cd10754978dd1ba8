"""A manifest that names something twice, or something of a segment that is not, gets one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from doubles import run_views
from joulemark.record.errors import InputError
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Manifest, Meter, SilentMeter, StopFacts, Stopped, Window
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.sound_manifest import require_sound
from joulemark.runs.view import summary_of

BOARD = QualifiedSource(
    SourceInfo("nvml:0", "nvml", Scope.gpu(0), ("energy_j", "power_w")), Qualification(Trust.QUALIFIED)
)


@pytest.fixture
def described() -> Manifest:
    item = run_views.item(0)
    window = Window(name="measure", segment=0, t0=item.t_sent, t1=item.t_end)
    return run_views.manifest().model_copy(update={"meters": [Meter.of(BOARD, 0)], "windows": [window]})


def written(root: Path, manifest: dict[str, Any]) -> Path:
    layout = RunLayout(root)
    layout.create()
    layout.manifest.write_bytes(orjson.dumps(manifest))
    journal = ItemJournal(layout.items_journal)
    journal.append(ItemRow(run_views.item(0)))
    journal.close()
    return root


def doubled(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document[name].append(document[name][0])


def elsewhere(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document[name][0].update(segment=7)


def of_the_meter(part: str, **numbers: float) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["meters"][0][part].update(numbers)


def counted_twice(document: dict[str, Any]) -> None:
    """Give the board a second scope, as an address with ``&scope=`` once did."""
    (meter,) = document["meters"]
    meter["source"]["device_id"] = "205b5d64"
    source = {**meter["source"], "name": "dcgm:0:2", "kind": "dcgm", "scope": "wall/psu/gpu:1"}
    document["meters"].append({**meter, "source": source, "scope": "wall/psu/gpu:1"})


def of_the_idle(**numbers: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["baselines"].update(numbers)


def of_the_rates(**numbers: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["rates"].update(numbers)


def step(rate: float) -> dict[str, object]:
    return {"from_utc": "2026-11-29T20:00:00Z", "to_utc": "2026-11-29T21:00:00Z", "rate": rate}


def without_end(document: dict[str, Any]) -> None:
    document["windows"][0]["t1"] = 2**63


def without_segments(document: dict[str, Any]) -> None:
    document["segments"] = []


def test_what_a_run_writes_is_read(described: Manifest, tmp_path: Path) -> None:
    view, _ = summary_of(written(tmp_path / "run", described.model_dump(mode="json")))
    assert [meter.source.name for meter in view.manifest.meters] == ["nvml:0"]


def test_a_meter_of_two_segments_stands_twice_rightly(described: Manifest, tmp_path: Path) -> None:
    document = described.model_dump(mode="json")
    document["segments"].append({**document["segments"][0], "index": 1})
    document["meters"].append({**document["meters"][0], "segment": 1})
    assert len(read_run(written(tmp_path / "run", document)).manifest.meters) == 2


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (doubled("meters"), "the meter 'nvml:0' stands twice in segment 0"),
        (doubled("segments"), "segment 0 stands twice"),
        (without_segments, "is of segment 0, and there is none"),
        (elsewhere("windows"), "a window is of segment 7"),
        (elsewhere("meters"), "a meter is of segment 7"),
        (elsewhere("silent_meters"), "a silent meter is of segment 7"),
        (of_the_meter("source", value_age_s=-1.0), "value_age_s of the meter 'nvml:0' is -1.0"),
        (of_the_meter("source", value_age_s=1e300), "value_age_s"),
        (of_the_meter("source", counter_quantum_j=-0.5), "counter_quantum_j"),
        (of_the_meter("qualification", poll_period_s=1e300), "poll_period_s"),
        (of_the_meter("qualification", update_period_max_s=float(2**62)), "update_period_max_s"),
        (of_the_meter("qualification", reads=2**63), "reads"),
        (lambda document: document["meters"][0].update(scope=""), "'nvml:0' is of two scopes"),
        (counted_twice, "two meters of segment 0 are of one board"),
        (of_the_idle(loaded_idle_w=-1e9), "loaded_idle_w is -1000000000.0 W"),
        (of_the_idle(empty_idle_w=60.0, empty_idle_bound_w=[70.0, 80.0]), "outside its bound"),
        (of_the_rates(usd_per_kwh=-5), "usd_per_kwh is -5, and 0 to 1,000 is possible"),
        (of_the_rates(gco2e_per_kwh=1e30), "gco2e_per_kwh is 1e+30"),
        (of_the_rates(pue=0.5), "pue is 0.5, and 1 to 10"),
        (of_the_rates(lifetime_years=0), "lifetime_years is 0"),
        (of_the_rates(tariff=[step(-2000)]), "changes with time"),
        (of_the_rates(grid_series=[step(-1)]), "changes with time"),
        (lambda document: document["segments"][0].update(t1=document["segments"][0]["t0"]), "ends after it"),
        (lambda document: document["windows"][0].update(t0=1), "begins outside it"),
        (lambda document: document["windows"][0].update(t1=run_views.T0 - 1), "ends before it begins"),
        (lambda document: document.update(repeats=-3), "fewer than there can be"),
        (without_end, "a stamp that no clock shows"),
    ],
)
def test_an_edited_manifest_is_an_input_error(
    described: Manifest, tmp_path: Path, edit: Callable[[dict[str, Any]], None], said: str
) -> None:
    silent = SilentMeter(segment=0, name="shelly", why="no answer")
    document = described.model_copy(update={"silent_meters": [silent]}).model_dump(mode="json")
    edit(document)
    root = written(tmp_path / "run", document)
    with pytest.raises(InputError, match="contradicts itself") as caught:
        summary_of(root)
    assert said in caught.value.why
    assert "--out DIR" in caught.value.fix


def test_a_name_does_not_steer_the_terminal(described: Manifest, tmp_path: Path) -> None:
    loud = replace(BOARD, info=replace(BOARD.info, name="nvml\x1b[2J"))
    document = described.model_copy(update={"meters": [Meter.of(loud, 0)] * 2}).model_dump(mode="json")
    with pytest.raises(InputError) as caught:
        read_run(written(tmp_path / "run", document))
    assert caught.value.why.isprintable()


@pytest.mark.parametrize(("at", "asked", "of"), [(0, 5, 60), (30, 20, 60), (30, 70, 60), (30, 40, 6000)])
def test_a_rule_that_ended_more_than_there_is_contradicts_the_task(at: int, asked: int, of: int) -> None:
    ended = Stopped(at=at, asked=asked, of=of, segment=0, binding=["accuracy ±5pp"])
    rule = StopFacts(targets=["accuracy ±5pp"], least=30, every=10, stopped=ended)
    with pytest.raises(InputError, match="contradicts itself"):
        require_sound(run_views.manifest(stop=rule))
    with pytest.raises(InputError, match="contradicts itself"):
        require_sound(run_views.manifest(earlier_stops=[rule]))


def test_a_task_is_no_smaller_than_what_was_asked_of_it() -> None:
    manifest = run_views.manifest(earlier_stops=[StopFacts(targets=["accuracy ±5pp"], least=30, every=10)])
    with pytest.raises(InputError, match="contradicts itself"):
        require_sound(manifest)
    manifest = run_views.manifest()
    for n_whole in (None, 60, 6000):
        manifest.task.n_whole = n_whole
        require_sound(manifest)
    manifest.task.n_whole = 59
    with pytest.raises(InputError, match="contradicts itself"):
        require_sound(manifest)


@pytest.mark.parametrize("span", [(1.0, 0.0), (1.0, 1.0), (-1e308, 1e308), (0.0, float("nan"))])
def test_a_range_of_scores_that_is_none_contradicts_itself(span: tuple[float, float]) -> None:
    manifest = run_views.manifest()
    manifest.task.score_range = span
    with pytest.raises(InputError, match="scores lie within"):
        require_sound(manifest)
