"""A calibration on the terminal and as a page: whole, escaped, and with a reason for each dash."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from doubles.calibrations import NOW, power, stretch
from joulemark.calibration.document import Calibration, CapPoint, EngineKey, LoadPoint
from joulemark.calibration.store import Held, Stored, Unreadable
from joulemark.record.manifest import Rates, WallFit
from joulemark.report.calibration_html import render_calibration, write_calibration
from joulemark.report.calibration_terminal import print_calibration, print_held
from joulemark.report.calibration_words import cap_rows, idle_rows, load_rows, standby_figures

EVIL = "<script>alert(1)</script>\x1b[31m"


def point(busy: float, watts: float, **fields: object) -> LoadPoint:
    defaults: dict[str, object] = {
        "measured_utc": NOW,
        "duration_s": 10.0,
        "powers": [power(watts)],
        "concurrency": 1,
        "duty": busy,
        "utilisation": busy,
        "tokens_per_s": 100 * busy,
    }
    return LoadPoint(**{**defaults, **fields})  # type: ignore[arg-type]


def whole() -> Calibration:
    full = point(1.0, 300.0)
    return Calibration(
        id="ab12cd34",
        created_utc=NOW,
        joulemark_version="0.1.0",
        host_hash="here",
        engine=EngineKey(kind="llama.cpp", model="m", model_digest="sha256:1"),
        device_sources=["nvml:0"],
        empty=stretch(20.0),
        loaded=stretch(60.0),
        curve=[point(0.0, 60.0, concurrency=0), point(0.5, 180.0), full, point(1.0, 330.0, concurrency=4)],
        caps=[
            CapPoint(
                **full.model_dump(),
                share=0.5,
                limit_w=200.0,
                joules_per_token=3.0,
                joules_per_token_bound=(2.9, 3.1),
            )
        ],
        wall_fit=WallFit(
            terms=["base", "gpu"],
            coefficients=[48.04, 1.0912],
            covariance=[[1.0, 0.0], [0.0, 0.01]],
            residual_sd_w=2.5,
            n_points=9,
            lowest_w={"gpu": 60.0},
            highest_w={"gpu": 330.0},
            wall_source="shelly",
            measured_utc=NOW,
        ),
    )


def printed(calibration: Calibration, rates: Rates | None = None) -> str:
    console = Console(width=110, file=io.StringIO())
    print_calibration(calibration, rates or Rates(), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_tells_all_parts() -> None:
    text = printed(whole(), Rates(usd_per_kwh=0.3))
    for words in (
        "Calibration of m on llama.cpp",
        "60.0 ± 1.0 W",
        "40.0 ± 2.0 W",
        "Standby energy per day: 1.440 kWh/day",
        "Standby cost per day: 0.432 USD/day",
        "1 at once, 50%",
        "50%: 200 W",
        "wall = 48.0 + 1.091 × gpu (watts), against shelly",
    ):
        assert words in text, words


def test_rows_hold_the_numbers() -> None:
    calibration = whole()
    (row,) = idle_rows(calibration)
    assert row.leads
    assert [one.tokens.text for one in load_rows(calibration)] == ["0.0", "50.0", "100", "100"]
    (cap,) = cap_rows(calibration)
    assert cap.joules.text == "3.00 J"
    assert standby_figures(calibration, Rates())["standby_kwh_per_day"].value == pytest.approx(1.44)


def test_a_power_with_a_bound_wider_than_itself_is_told_as_the_most_that_it_is() -> None:
    blunt = point(0.5, 90.0, powers=[power(90.0, lo_w=0.0, hi_w=399.7)])
    text = printed(whole().model_copy(update={"curve": [blunt]}))
    assert "below 400" in text
    assert "90.0 ±" not in text


def test_each_missing_part_says_why() -> None:
    bare = whole().model_copy(
        update={
            "empty": None,
            "curve": [point(0.5, 180.0, tokens_per_s=None, reasons={"tokens_per_s": "not counted"})],
            "caps": [],
            "wall_fit": None,
            "reasons": {"empty": "the engine was up already", "caps": "only root may", "wall_fit": "no plug"},
        }
    )
    for text in (printed(bare), render_calibration(bare, Rates())):
        assert "Idle with nothing loaded: the engine was up already" in text
        assert "Power limits: only root may" in text
        assert "Wall calibration: no plug" in text
    assert 'title="not counted"' in render_calibration(bare, Rates())


def test_the_page_is_one_file_without_scripts_and_foreign_words_are_text(tmp_path) -> None:
    evil = whole()
    assert evil.engine is not None
    evil.engine.model = evil.engine.kind = EVIL
    evil.flags.append(EVIL)
    evil.reasons["caps"] = EVIL
    evil.empty = stretch(20.0, powers=[power(20.0, source=EVIL)])
    write_calibration(evil, Rates(), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<script" not in text
    assert "\x1b" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r"https?://", text)
    assert text.count("<svg") == 4
    assert "\x1b[31m" not in printed(evil)


def test_a_calibration_of_the_machine_alone_has_a_page_too() -> None:
    alone = Calibration(
        id="1",
        created_utc=NOW,
        joulemark_version="0",
        host_hash="h",
        empty=stretch(20.0),
        reasons={"loaded": "x"},
    )
    assert "Calibration of this machine" in render_calibration(alone, Rates())
    assert "Standby" not in printed(alone)


def test_the_list_names_what_is_on_file_and_what_is_left_aside(tmp_path) -> None:
    console = Console(width=200, file=io.StringIO())
    held = Held((Stored(tmp_path / "a.json", whole()),), (Unreadable(tmp_path / "b.json", "it is torn"),))
    print_held(held, console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "ab12cd34" in text
    assert "empty idle, loaded idle, power curve, power limits, wall" in text
    assert "left aside: b.json: it is torn" in text
