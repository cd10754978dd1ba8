"""The machine's sources on the terminal: what strangers said steers nothing there."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from joulemark.meters.source import Finding, SourceSpec
from joulemark.record.manifest import Host
from joulemark.record.meter import Qualification, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.report.diagnosis import print_diagnosis
from joulemark.runs.diagnosis import Diagnosis

STEERING = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e[bold red]x[/]"


def printed(*sources: tuple[Finding, Qualification | None]) -> str:
    host = Host(os="Linux", python="3.12", kernel=STEERING, cpu_model=STEERING, virtualization=STEERING)
    out = io.StringIO()
    print_diagnosis(Diagnosis(host, sources), Console(file=out, width=400, force_terminal=False))
    return out.getvalue()


def test_no_text_of_a_device_or_a_server_steers_the_terminal() -> None:
    info = SourceInfo("dcgm:0", "dcgm", Scope.gpu(0), ("power_w",), notes=(f"lacks: {STEERING}",))
    test = Qualification(Trust.SUSPECT, f"it said {STEERING}")
    there = Finding("dcgm", f"dcgm:{STEERING}", f"a board {STEERING}", spec=SourceSpec("dcgm"), info=info)
    missing = Finding("dcgm", "dcgm", "boards", why=f"it said {STEERING}\nfix: no", fix=f"curl {STEERING}")
    text = printed((there, test), (missing, None))
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count("owned") == 3 + 2 + 2 + 2
    assert "[bold red]x[/]" in text
    assert "\n    why: it said" in text
    assert "\nfix: no" not in text


def test_commands_of_several_lines_stay_apart() -> None:
    text = printed((Finding("rapl", "rapl", "energy", why="not readable", fix="now: a\nfor good:  b"), None))
    assert "    fix: now: a\nfor good:  b\n" in text


@pytest.mark.parametrize(
    ("period_s", "longest_s", "said"),
    [
        (0.0213, 0.04, "updates every 21.3 ms, at most 40.0 ms"),
        (1.01, 1.516, "updates every 1.01 s, at most 1.52 s"),
        (1.0, 62.0, "updates every 1.00 s, at most 62.0 s"),
    ],
)
def test_times_and_watts_are_written_as_people_write_them(
    period_s: float, longest_s: float, said: str
) -> None:
    test = Qualification(
        Trust.QUALIFIED, update_period_s=period_s, update_period_max_s=longest_s, mean_power_w=1234.0
    )
    text = printed((Finding("shelly", "shelly", "a plug", spec=SourceSpec("shelly")), test))
    assert said in text
    assert "1,234 W now" in text
    assert "e+0" not in text
