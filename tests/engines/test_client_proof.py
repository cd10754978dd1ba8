"""The client's proof: each reason code fires when its cause is there and not otherwise."""

import asyncio
import subprocess
import sys
import time

import pytest

from doubles.measuring_loop import run
from joulemark.engines.client import ClientProbe, new_event_loop, self_test


def test_an_idle_client_is_valid():
    async def main() -> ClientProbe:
        async with ClientProbe() as probe:
            await asyncio.sleep(0.5)
        return probe

    probe = run(main())
    proof = probe.proof(3, ttft_p50_s=4.0, max_chunks_per_s=1e5)
    assert proof.invalid == []
    assert (proof.segment, proof.late_sends, proof.max_chunks_per_s) == (3, 0, 1e5)
    assert 0 <= proof.cpu_share < 0.5
    assert 0 <= proof.cpu_seconds < 0.5
    assert 0 <= probe.loop_lag_s(50) <= proof.loop_lag_p99_s < 0.2


def test_a_busy_client_is_invalid():
    async def main() -> ClientProbe:
        async with ClientProbe() as probe:
            cpu_end = time.process_time() + 0.4
            while time.process_time() < cpu_end:
                await asyncio.sleep(0)
        return probe

    probe = run(main())
    if probe.cpu_share <= 0.8:
        pytest.skip("the machine is too busy to let one process use a core")
    assert "client_cpu_over_80pct" in probe.proof(0).invalid


def test_a_blocked_loop_is_invalid_unless_the_first_token_takes_long():
    async def main() -> ClientProbe:
        async with ClientProbe() as probe:
            for _ in range(5):
                await asyncio.sleep(0.03)
                time.sleep(0.05)  # idle, so the processor share stays low
        return probe

    probe = run(main())
    assert probe.loop_lag_s(99) > 0.03
    assert probe.proof(0).invalid == ["loop_lag"]
    assert probe.proof(0, ttft_p50_s=0.1).invalid == ["loop_lag"]
    assert probe.proof(0, ttft_p50_s=60.0).invalid == []


def test_a_loop_blocked_to_the_end_of_the_window_counts():
    async def main() -> ClientProbe:
        async with ClientProbe() as probe:
            time.sleep(0.1)
        return probe

    assert run(main()).loop_lag_s(99) > 0.05


@pytest.mark.parametrize(("late", "invalid"), [(1, []), (2, ["late_sends"])])
def test_late_sends_are_judged_at_the_99th_percentile(late, invalid):
    async def main() -> ClientProbe:
        async with ClientProbe() as probe:
            for i in range(100):
                probe.sent(1_000_000, 1_000_000 + (2_000_000 if i < late else 900_000))
        return probe

    probe = run(main())
    proof = probe.proof(0, mean_gap_s=0.01, ttft_p50_s=60.0)  # a tenth of the gap: 1 ms
    assert proof.late_sends == late
    assert [code for code in proof.invalid if code == "late_sends"] == invalid
    assert "late_sends" not in probe.proof(0).invalid, "a closed loop has no schedule"


@pytest.mark.parametrize("loop_factory", [new_event_loop, asyncio.new_event_loop])
def test_the_self_test_counts_what_it_received(loop_factory):
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        result = runner.run(self_test(0.2))
    assert result.error is None
    assert result.chunks > 1000
    assert result.max_chunks_per_s == pytest.approx(result.chunks / result.duration_s)
    assert 0.15 < result.duration_s < 3
    assert result.cpu_seconds > 0


def test_a_self_test_without_a_server_says_so(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    result = run(self_test(0.1))
    assert result.max_chunks_per_s is None
    assert "did not start" in result.error


def test_importing_the_client_is_light():
    heavy = ("pydantic", "polars", "numpy", "altair")
    code = f"import sys, joulemark.engines.client; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
