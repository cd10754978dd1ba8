"""The page for Prometheus, from live meters through the real sampler, read by the reference parser."""

from __future__ import annotations

import builtins
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families as families

from joulemark.live.exporter import LiveExporter
from joulemark.live.meter_set import MeterSet
from joulemark.meters.address import MeterAddress
from joulemark.meters.discovery import open_source
from joulemark.meters.prometheus.finding import find_prometheus
from joulemark.record.errors import InputError

Page = dict[tuple[str, tuple[tuple[str, str], ...]], float]

HEALTHY_W = 200.0


def trace(
    path: Path, scope: str, *, reset_at_s: float | None = None, temperature_c: float | None = None
) -> Path:
    """A recorded board: 200 W for a minute, its counter every 50 ms."""
    lines = [
        f"# scope = {scope}",
        "# power_max_w = 400",
        "t_s,energy_j,power_w" + (",temperature_c" if temperature_c else ""),
    ]
    for i in range(1200):
        t_s = i * 0.05
        energy_j = 10_000 + HEALTHY_W * t_s
        if reset_at_s is not None and t_s >= reset_at_s:
            energy_j = HEALTHY_W * (t_s - reset_at_s)
        lines.append(f"{t_s:.2f},{energy_j:.3f},{HEALTHY_W}" + (f",{temperature_c}" if temperature_c else ""))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveExporter, str]]:
    """Two boards; the second one's counter is set back a few seconds after the start."""
    tmp_path = tmp_path_factory.mktemp("traces")
    board = trace(tmp_path / "board.csv", "wall/psu/gpu:0", temperature_c=61.5)
    resets = trace(tmp_path / "resets.csv", "wall/psu/gpu:1", reset_at_s=3.0)
    with MeterSet.open([f"replay:{board}", f"replay:{resets}"], test_s=0.6) as meters:
        assert len(meters.sources) == 2
        with LiveExporter(meters) as exporter:
            yield exporter, exporter.serve("127.0.0.1", 0)


def test_a_foreign_name_for_this_machine_is_refused(exported: tuple[LiveExporter, str]) -> None:
    _, url = exported
    asked = urllib.request.Request(url, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked, timeout=10)


def scrape(url: str, *, openmetrics: bool = False) -> tuple[Page, list[Any]]:
    accept = "application/openmetrics-text; version=1.0.0" if openmetrics else "text/plain"
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=5) as answer:
        text = answer.read().decode()
    found = list((openmetrics_families if openmetrics else families)(text))
    page = {(s.name, tuple(sorted(s.labels.items()))): s.value for family in found for s in family.samples}
    return page, found


def value(page: Page, name: str, source: str, **labels: str) -> float | None:
    wanted = {"source": source, **labels}.items()
    found = [v for (n, held), v in page.items() if n == name and wanted <= set(held)]
    assert len(found) <= 1
    return found[0] if found else None


def test_the_page_shows_energy_power_and_the_rest(exported: tuple[LiveExporter, str]) -> None:
    _, url = exported
    before, _ = scrape(url)
    begin_s = time.monotonic()
    time.sleep(1.5)
    page, _ = scrape(url)
    passed_s = time.monotonic() - begin_s
    board = "replay:board"
    labels = {"scope": "wall/psu/gpu:0"}
    gained_j = (value(page, "joulemark_energy_joules_total", board, **labels) or 0) - (
        value(before, "joulemark_energy_joules_total", board, **labels) or 0
    )
    assert gained_j == pytest.approx(HEALTHY_W * passed_s, abs=HEALTHY_W * 1.0)
    assert gained_j > 0
    assert value(page, "joulemark_power_watts", board, **labels) == HEALTHY_W
    assert value(page, "joulemark_temperature_celsius", board, **labels) == 61.5
    assert value(page, "joulemark_source_up", board, **labels) == 1
    assert value(page, "joulemark_source_info", board, kind="replay", trust="qualified") == 1
    # what is not read is absent, and no 0
    assert value(page, "joulemark_temperature_celsius", "replay:resets") is None
    assert value(page, "joulemark_utilization_ratio", board) is None


def test_a_reset_neither_falls_nor_jumps_and_is_counted(exported: tuple[LiveExporter, str]) -> None:
    _, url = exported
    seen: list[float] = []
    faults = None
    deadline_s = time.monotonic() + 8
    while faults is None and time.monotonic() < deadline_s:
        page, _ = scrape(url)
        energy = value(page, "joulemark_energy_joules_total", "replay:resets")
        assert energy is not None
        seen.append(energy)
        faults = value(page, "joulemark_source_faults_total", "replay:resets", reason="counter_reset")
        time.sleep(0.1)
    assert faults == 1
    time.sleep(0.7)
    page, _ = scrape(url)
    seen.append(value(page, "joulemark_energy_joules_total", "replay:resets") or 0.0)
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert seen[-1] < 2000, "the counter's own ten thousand are in it"
    assert value(page, "joulemark_source_faults_total", "replay:board") is None


def test_openmetrics_is_served_to_who_asks(exported: tuple[LiveExporter, str]) -> None:
    _, url = exported
    page, found = scrape(url, openmetrics=True)
    kinds = {family.name: family.type for family in found}
    assert kinds["joulemark_energy_joules"] == "counter"
    assert kinds["joulemark_power_watts"] == "gauge"
    assert value(page, "joulemark_energy_joules_total", "replay:board") is not None
    assert value(page, "joulemark_energy_joules_created", "replay:board") == pytest.approx(
        time.time(), abs=120
    )


def test_a_scrape_asks_no_meter(exported: tuple[LiveExporter, str]) -> None:
    _, url = exported
    begin_s = time.monotonic()
    for _ in range(5):
        scrape(url)
    assert time.monotonic() - begin_s < 2.5


def test_what_is_exported_can_be_a_meter_again(exported: tuple[LiveExporter, str]) -> None:
    """The Prometheus meter against a server that is not ours."""
    _, url = exported
    series = 'joulemark_energy_joules_total{source="replay:board"}'
    power = 'joulemark_power_watts{source="replay:board"}'
    (finding,) = find_prometheus(MeterAddress.parse(f"prometheus:{url}#{series}?power={power}"))
    assert finding.spec is not None, finding
    source = open_source(finding.spec)
    one = source.read(0)
    time.sleep(0.6)
    other = source.read(0)
    assert one.values["power_w"] == HEALTHY_W
    gained_w = (other.values["energy_j"] - one.values["energy_j"]) / ((other.t_ns - one.t_ns) * 1e-9)
    assert gained_w == pytest.approx(HEALTHY_W, rel=0.9)


def test_a_port_in_use_says_so(exported: tuple[LiveExporter, str]) -> None:
    exporter, url = exported
    with pytest.raises(InputError) as caught:
        exporter.serve("127.0.0.1", int(url.rsplit(":", 1)[1].split("/")[0]))
    assert "--port" in caught.value.fix


def test_absent_and_lost_sources_are_down(tmp_path: Path) -> None:
    short = tmp_path / "short.jsonl"
    rows = [f'{{"t_ns": {i * 50_000_000}, "values": {{"energy_j": {i}, "power_w": 20}}}}' for i in range(5)]
    short.write_text('{"info": {"scope": "wall/psu/gpu:3"}}\n' + "\n".join(rows) + "\n")
    with MeterSet.open([f"replay:{short}"], test_s=0.6) as meters:  # the trace ends within its self-test
        assert not meters.sources
        with LiveExporter(meters) as exporter:
            page, _ = scrape(exporter.serve("127.0.0.1", 0))
    assert [(held, up) for (name, held), up in page.items() if name == "joulemark_source_up"] == [
        ((("scope", ""), ("source", "replay:short")), 0.0)
    ]


def test_without_the_package_the_command_to_install_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("prometheus_client"):
            raise ImportError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    with MeterSet([]) as meters:
        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(InputError) as caught:
            LiveExporter(meters)
    assert caught.value.fix == "pip install 'joulemark[export]'"
