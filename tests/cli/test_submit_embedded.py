"""Real runs of the built-in engine: a bundle's figures are the run's, and its words stay here."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from doubles.user import joulemark

pytestmark = pytest.mark.slow


def trace_of(path: Path) -> Path:
    """A board of some 150 W, five minutes long, as a trace to play back."""
    joules, rows = 0.0, []
    for step in range(3000):
        power = 150.0 + 20.0 * ((step // 7) % 5)
        joules += 0.1 * power
        rows.append(f"{step / 10},{joules:.3f},{power}")
    path.write_text("\n".join(["# scope = wall/psu/gpu:0", "t_s,energy_j,power_w", *rows]) + "\n")
    return path


@pytest.mark.parametrize(("concurrency", "metered"), [("1", False), ("1", True), ("3", True)])
def test_a_real_run_and_its_bundle_agree(
    tmp_path: Path, built_in_model: Path, concurrency: str, metered: bool
) -> None:
    meters = ("--meter", f"replay:{trace_of(tmp_path / 'zq7board.csv')}") if metered else ()
    run, bundle = tmp_path / "run", tmp_path / "bundle.zip"
    options = ("--limit", "10", "--concurrency", concurrency, "--usd-per-kwh", "0.3", "--out", run)
    measured = joulemark("bench", "run", "quick", *options, *meters, timeout_s=280)
    assert measured.code == 0, measured.err
    assert ("joulemark bench submit" in measured.err) is not metered  # a replay is no measurement

    packed = joulemark("bench", "submit", run, "--out", bundle)
    assert packed.code == 0, packed.err
    verified = joulemark("verify", bundle, "--json")
    assert verified.code == 0, verified.out

    told, reported = verified.json, joulemark("report", run, "--json").json
    assert (reported["total_joules"] is not None) is metered
    for name, figure in told["recomputed"]["figures"].items():
        assert figure["value"] == reported[name], name
        interval = reported["intervals"].get(name, {"lo": None, "hi": None})
        assert (figure["lo"], figure["hi"]) == (interval["lo"], interval["hi"]), name
    assert told["measurement_tier"] == reported["measurement_tier"]
    assert told["recomputed"]["counts"]["n_correct"] == reported["n_correct"]
    assert told["recomputed"]["verdicts"] == reported["verdicts"]
    _require_without_words(run, bundle)


def _require_without_words(run: Path, bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        said = "".join(archive.read(name).decode() for name in archive.namelist())
    assert "zq7board" not in said
    assert str(run) not in said
    for line in (run / "items.jsonl").read_text().splitlines():
        texts = json.loads(line)["texts"]
        for text in (texts["prompt"], texts["answer"]):
            assert len(text) < 8 or json.dumps(text)[1:-1] not in said
