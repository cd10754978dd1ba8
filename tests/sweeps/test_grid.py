"""Grids: read from TOML, multiplied out, and refused where they make no sense."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.cli.sweep_options import setting_names
from joulemark.engines.diffusion import KINDS
from joulemark.metrics.media import MIN_BATCHES
from joulemark.record.errors import InputError
from joulemark.sweeps import grid as grids
from joulemark.sweeps.default_grids import default_grids, grid_for
from joulemark.sweeps.grid import Grid, parse_grid, read_grid
from joulemark.sweeps.setting import Setting

TEXT = """
[grid]
title = "two axes"

[axes]
concurrency = [1, 2, 8]
max_batch = [4, 8]
flags.gpu-memory-utilization = [0.8]

[base]
engine = "vllm"
model = "org/m"
requests = "=max(10, 4 * concurrency)"
meter = ["none"]
flags.enforce-eager = true

[skip]
the_batch_is_never_full = "max_batch > concurrency"
"""


def test_it_is_multiplied_out_with_its_base_its_rules_and_what_is_computed() -> None:
    grid = parse_grid(TEXT, "here")
    grid.require_sound(setting_names())
    cells = list(grid.cells())
    assert grid.title == "two axes"
    assert [(cell.values["concurrency"], cell.values["max_batch"]) for cell in cells] == [
        (1, 4),
        (1, 8),
        (2, 4),
        (2, 8),
        (8, 4),
        (8, 8),
    ]
    assert [cell.settings["requests"] for cell in cells] == [10, 10, 10, 10, 32, 32]
    assert [cell.skipped for cell in cells] == ["the batch is never full"] * 4 + ["", ""]
    assert cells[0].settings["meter"] == ("none",)
    assert cells[0].settings["flags.enforce-eager"] is True
    assert cells[0].settings["flags.gpu-memory-utilization"] == 0.8


def test_an_axis_takes_the_place_of_what_was_fixed_and_the_other_way_round() -> None:
    grid = parse_grid(TEXT, "here").with_axis("model", ("a", "b")).with_base({"max_batch": 8})
    grid.require_sound(setting_names())
    assert len(list(grid.cells())) == 6
    assert {cell.settings["model"] for cell in grid.cells()} == {"a", "b"}
    assert {cell.settings["max_batch"] for cell in grid.cells()} == {8}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing is varied"),
        ("[axes]\nconcurrency = []", "no values"),
        ("[axes]\nconcurrency = [1, 1]", "twice"),
        ("[axes]\nconcurency = [1]", "did you mean concurrency"),
        ("[axes]\nmax_batches = [1]", "did you mean max_batch"),
        ("[axes]\nconcurrency = [1]\n[base]\nconcurrency = 2", "an axis and in the base"),
        ("[axes]\nconcurrency = [1]\n[base]\nout = 'x'", "no setting 'out'"),
        ("[axes]\nconcurrency = [1]\n[skip]\nx = 'concurency > 2'", "did you mean concurrency"),
        ("[axes]\nconcurrency = [1]\n[skip]\nx = 2", "no text"),
        ("[axes]\nconcurrency = 1", "is no list"),
        ("[axes]\nconcurrency = [[1]]", "are numbers, texts"),
        ("[axes]\nconcurrency = [nan]", "are numbers, texts"),
        ("[axis]\nconcurrency = [1]", "has a table"),
        ("axes = 3", "is no table"),
        ("[axes", "is no TOML"),
        ("[axes]\nrate = " + str(list(range(1, 10_002))), "10,001 points"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_grid(text, "here").require_sound(setting_names())


@pytest.mark.parametrize(("name", "value"), [("max_batch", 2.5), ("prefix_cache", 1), ("model", 3)])
def test_a_value_of_another_type_is_refused(name: str, value: Setting) -> None:
    with pytest.raises(InputError, match="it takes"):
        list(Grid({name: (value,)}).cells())


def test_a_grid_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(TEXT)
    assert read_grid(path) == parse_grid(TEXT, str(path))
    path.write_bytes(b"\xff\xfe[axes]")
    with pytest.raises(InputError, match="not UTF-8"):
        read_grid(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_grid(tmp_path / "none.toml")


def test_the_built_in_grids_are_sound_and_know_their_tasks() -> None:
    for name, grid in default_grids().items():
        grid.require_sound(setting_names())
        assert grid.title, name
        if name in KINDS:
            continue
        cells = [cell for cell in grid.with_base({"engine": "vllm"}).cells() if not cell.skipped]
        assert len(cells) == len(list(grid.cells()))
        # enough requests for a turnover of the batch and a steady window after it
        assert all(int(str(c.settings["requests"])) >= 4 * int(str(c.values["concurrency"])) for c in cells)
    assert grid_for("gpqa_diamond") == "reasoning"
    assert grid_for("humaneval") == "code"
    assert [grid_for(kind) for kind in KINDS] == list(KINDS)
    assert grid_for("a task of mine") == grid_for(None) == "chat"


@pytest.mark.parametrize("kind", KINDS)
def test_a_grid_of_media_says_what_every_batch_makes(kind: str) -> None:
    cells = list(default_grids()[kind].cells())
    assert {(cell.settings["engine"], cell.settings["task"]) for cell in cells} == {("diffusers", kind)}
    assert all(cell.values.keys() == {"max_batch", "denoising_steps"} for cell in cells)
    for cell in cells:
        assert int(str(cell.settings["batches"])) >= MIN_BATCHES, "fewer have no interval"
        assert {type(cell.settings[name]) for name in ("height", "width")} == {int}
        assert ("frames" in cell.settings) == (kind != "text-to-image")


def test_any_square_is_made_by_its_height() -> None:
    grid = default_grids()["text-to-image"].with_axis("height", (512, 768))
    assert {(c.settings["height"], c.settings["width"]) for c in grid.cells()} == {(512, 512), (768, 768)}


def test_the_embedded_engine_is_spared_the_largest_loads() -> None:
    cells = list(default_grids()["chat"].cells())
    assert max(int(str(c.values["concurrency"])) for c in cells if not c.skipped) == 8
    assert all("embedded" in c.skipped for c in cells if int(str(c.values["concurrency"])) > 8)


def test_an_axis_of_an_installed_package_stands_for_other_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def speculative(value: Setting, engine: str) -> dict[str, Setting]:
        if engine != "vllm":
            raise InputError(f"{engine} drafts nothing")
        return {"flags.speculative-config": f'{{"num_speculative_tokens": {value}}}'}

    axes = {"speculative": speculative}
    monkeypatch.setattr("joulemark.sweeps.axes.user_axes", lambda: axes)
    monkeypatch.setattr(grids, "user_axes", lambda: axes)
    grid = Grid({"engine": ("vllm", "sglang"), "speculative": (3,)}, {"model": "m"})
    grid.require_sound(setting_names())
    vllm, sglang = grid.cells()
    assert vllm.settings["flags.speculative-config"] == '{"num_speculative_tokens": 3}'
    assert "speculative" not in vllm.settings
    assert vllm.values["speculative"] == 3
    assert sglang.skipped == "sglang drafts nothing"


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
@settings(deadline=None, max_examples=200)
def test_any_text_is_a_grid_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        parse_grid(text, "here").require_sound(setting_names())
