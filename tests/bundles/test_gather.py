"""What lies in folders, as operating points: imported rows and runs, each once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from doubles import run_views
from doubles.published_files import TEXT_HEADER, Write
from joulemark.bundles.gather import gather
from joulemark.bundles.kinds import import_file
from joulemark.bundles.selection import Selection, select
from joulemark.metrics.presets import PRESETS
from joulemark.rates.declared import DeclaredRates
from joulemark.record.errors import InputError
from joulemark.record.item import ItemRow
from joulemark.record.reason import Reason
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout

NO_RATES = DeclaredRates()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


def _run(root: Path, n: int = 4) -> Path:
    """Write a run of a few answers without any meter."""
    layout = RunLayout(root)
    layout.create()
    described = run_views.manifest(run_id=f"run {root.name}")
    layout.write_manifest(
        described.model_copy(update={"task": described.task.model_copy(update={"n_items": n})})
    )
    journal = ItemJournal(layout.items_journal)
    for index in range(n):
        journal.append(ItemRow(run_views.item(index, start_s=10 + 2.0 * index)))
    journal.close()
    return root


def test_rows_and_runs_at_any_depth(write: Write, tmp_path: Path) -> None:
    place = tmp_path / "place"
    import_file("mlenergy", write(), place / "rows")
    _run(place / "sweep" / "points" / "one")
    _run(place / "sweep" / "points" / "two")
    found = gather([place], NO_RATES)
    assert sorted(point.kind for point in found.points) == ["measured", "measured", "published"]
    assert found.unread == ()
    run = next(point for point in found.points if point.kind == "measured")
    assert run.energy_j.reason is not None
    assert run.latencies_s["tpot_mean"].value == pytest.approx(0.1)
    assert run.origin.startswith(str(place / "sweep" / "points"))


def test_a_place_named_twice_and_rows_stored_twice_count_once(write: Write, tmp_path: Path) -> None:
    place = tmp_path / "place"
    import_file("mlenergy", write(), place / "a")
    shutil.copytree(place / "a", place / "b")
    _run(place / "run")
    assert len(gather([place, place / "a", place / "run"], NO_RATES).points) == 2


def test_a_copied_run_is_no_second_configuration(tmp_path: Path) -> None:
    place = tmp_path / "place"
    run = _run(place / "a run")
    shutil.copytree(run, place / "its copy")
    found = gather([place], NO_RATES)
    assert [point.origin for point in found.points] == [str(run)]
    assert found.unread == ((str(place / "its copy"), f"it is a copy of {run}, and a run counts once"),)
    # where the first cannot be read the copy stands for it
    (run / "items.jsonl").unlink()
    (run / "manifest.json").write_text("{")
    found = gather([place], NO_RATES)
    assert [point.origin for point in found.points] == [str(place / "its copy")]


def test_what_is_broken_is_told_and_passed_over(write: Write, tmp_path: Path) -> None:
    place = tmp_path / "place"
    import_file("mlenergy", write(), place)
    (place / "bad.published.json").write_text("{}")
    _run(place / "run")
    (place / "broken").mkdir()
    (place / "broken" / "manifest.json").write_text("{")
    found = gather([place], NO_RATES)
    assert len(found.points) == 2
    assert [Path(path).name for path, _ in found.unread] == ["bad.published.json", "broken"]
    assert all(why for _, why in found.unread)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_nothing_to_read_is_an_error_with_a_way_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as refused:
        gather([tmp_path / name], NO_RATES)
    assert refused.value.fix


def test_rates_price_rows_but_prices_of_tokens_do_not(write: Write, tmp_path: Path) -> None:
    import_file("mlenergy", write(), tmp_path / "rows")
    (priced,) = gather([tmp_path / "rows"], DeclaredRates(usd_per_kwh=0.36, gco2e_per_kwh=360.0)).points
    assert priced.usd.value == pytest.approx(100.5 / 3.6e6 * 0.36)
    assert priced.gco2e.value == pytest.approx(100.5 / 3.6e6 * 360)
    (tokens,) = gather([tmp_path / "rows"], DeclaredRates(price="1,2")).points
    assert tokens.usd.reason is Reason.NO_PRICE


def _points(write: Write, tmp_path: Path):
    rows = [
        f"org/{model},NVIDIA {device},{tp},1,100,0.05,1000,250,60,64"
        for model in ("llama-8b", "llama-70b")
        for device, tp in (("A100-SXM4-40GB", 1), ("H100 80GB HBM3", 4))
    ]
    import_file("mlenergy", write(TEXT_HEADER, *rows), tmp_path / "rows")
    return gather([tmp_path / "rows"], NO_RATES).points


def test_a_selection(write: Write, tmp_path: Path) -> None:
    points = _points(write, tmp_path)
    found = select(points, Selection(model="8B", devices=("h100",), preset=PRESETS["chat"], max_devices=4))
    assert [(point.model, point.n_devices) for point in found] == [("org/llama-8b", 4)]
    assert len(select(points, Selection())) == 4
    assert len(select(points, Selection(devices=("a100", "h100"), task="chat"))) == 4


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        (Selection(model="llama"), "several models"),
        (Selection(model="gemma"), "org/llama-8b"),
        (Selection(task="code"), "chat"),
        (Selection(preset=PRESETS["image"]), "chat"),
        (Selection(devices=("B200",)), "H100"),
        (Selection(max_devices=2, devices=("H100",)), "4"),
    ],
)
def test_a_choice_that_leaves_nothing_names_what_there_is(
    write: Write, tmp_path: Path, selection: Selection, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        select(_points(write, tmp_path), selection)
    assert told in str(refused.value)
