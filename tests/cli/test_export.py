"""``joulemark export`` as a user runs it."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeNvml
from doubles.otlp_receiver import OtlpReceiver
from doubles.prometheus import unused_port
from doubles.user import bench, joulemark, start
from doubles.working_engine import WorkingEngine

Sums = Callable[[int], Path]


def test_meters_are_served_until_ctrl_c(board: FakeNvml) -> None:
    process = start("export", "prometheus", "--meter", "nvml", "--port", "0", env=board.env)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            page = answer.read().decode()
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert 'joulemark_source_up{scope="wall/psu/gpu:0",source="nvml:0"} 1.0' in page
    assert 'joulemark_power_watts{scope="wall/psu/gpu:0",source="nvml:0"} 60' in page
    assert "nvml:0: wall/psu/gpu:0, qualified" in err
    assert url.startswith("http://127.0.0.1:")


def test_no_source_is_exit_code_one() -> None:
    done = joulemark("export", "prometheus", "--meter", f"dcgm:127.0.0.1:{unused_port()}", "--duration", "0")
    assert done.code == 1
    assert "nothing listens" in done.err
    assert "joulemark doctor" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prometheus", "--meter", "abacus"], "abacus"),
        (["prometheus", "--port", "70000"], "--port"),
        (["spans", "nowhere"], "joulemark runs"),
    ],
)
def test_bad_input_says_what_to_do(arguments: list[str], said: str) -> None:
    done = joulemark("export", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_the_requests_of_a_run_as_spans(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out, file = tmp_path / "run", tmp_path / "spans.json"
    done = joulemark(*bench(engine, sums(3), out), env=board.env)
    assert done.code == 0, done.err

    written = joulemark("export", "spans", out, "--out", file)
    assert written.code == 0, written.err
    assert written.out == ""
    (group,) = json.loads(file.read_text())["resourceSpans"]
    spans = group["scopeSpans"][0]["spans"]
    energies = {
        row["value"]["doubleValue"]
        for span in spans
        for row in span["attributes"]
        if row["key"] == "joulemark.energy.joules"
    }
    assert len(energies) == 3
    assert all(joules > 0 for joules in energies)
    assert sum(energies) <= done.json["total_joules"]
    text = file.read_text()
    for private in ("What is", "####", engine.url, str(engine.url.rsplit(":", 1)[1])):
        assert private not in text
    printed = joulemark("export", "spans", out)
    assert json.loads(printed.out) == json.loads(text)

    with OtlpReceiver() as receiver:
        posted = joulemark("export", "spans", out, "--otlp", receiver.url)
        assert posted.code == 0, posted.err
        assert posted.out == ""
        assert [span.span_id.hex() for span in receiver.spans] == [span["spanId"] for span in spans]
    with OtlpReceiver(400) as receiver:
        refused = joulemark("export", "spans", out, "--otlp", receiver.url)
    assert refused.code == 2
    assert "400" in refused.err
    assert "--out" in refused.err
    assert "Traceback" not in refused.err
