"""The pages that meters read: the true joules on the true clock, whoever looks and how often."""

from __future__ import annotations

import asyncio
import re
from time import monotonic_ns
from typing import Any

import pytest

from doubles.served_simulation import ServedSimulation
from doubles.simulation_client import Client, raw, run, simulation
from joulemark.meters.address import MeterAddress
from joulemark.meters.prometheus.dcgm import open_dcgm
from joulemark.meters.prometheus.dcgm_board import boards_on
from joulemark.meters.prometheus.dcgm_finding import find_dcgm
from joulemark.meters.prometheus.exposition import parse_exposition
from joulemark.simulate.http import PROFILES, Service
from joulemark.simulate.http.metric_pages import uuid_of


def shown(page: str) -> dict[str, float]:
    rows = re.findall(r"^([\w:]+)(?:\{[^}]*\})? (\S+)$", page, re.MULTILINE)
    return {name: float(value) for name, value in rows}


ENERGY, POWER = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_POWER_USAGE"


def test_the_counter_is_the_truth_of_its_latest_renewal() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            looks = []
            working = asyncio.ensure_future(client.together([f"q {i}" for i in range(6)], max_tokens=40))
            while not working.done():
                now = monotonic_ns()
                page = shown(service.exporter.page(now))
                renewed = service.exporter.renewed_ns(now)
                true = service.live.between(service.live.t0_ns, renewed).total_j
                since = service.live.between(renewed, monotonic_ns()).total_j
                looks.append((page[ENERGY] * 1e-3, true, since, now - renewed))
                await asyncio.sleep(0.013)
            return looks

    served = simulation(meter_interval_s=0.05)
    looks = run(served, work)
    assert len(looks) > 5
    for counter_j, true_j, since_j, age_ns in looks:
        assert true_j - 1e-3 <= counter_j <= true_j + 1e-9
        assert 0 <= age_ns < 50e6
        assert since_j >= 0
    assert looks[-1][0] > looks[0][0]
    assert [look[0] for look in looks] == sorted(look[0] for look in looks)


def test_asking_often_adds_nothing_and_time_does() -> None:
    async def work(service: Service) -> Any:
        begin = monotonic_ns()
        pages = []
        while monotonic_ns() < begin + 0.5e9:
            pages.append((monotonic_ns(), shown(service.exporter.page())[ENERGY] * 1e-3))
            await asyncio.sleep(0)
        return pages

    pages = run(simulation(meter_interval_s=0.05), work)
    assert len(pages) > 100
    assert len({joules for _, joules in pages}) <= 12  # half a second has ten renewals
    (t0, first_j), (t1, last_j) = pages[0], pages[-1]
    idle_w = 10.0
    assert abs((last_j - first_j) - idle_w * (t1 - t0) * 1e-9) < idle_w * 0.05 + 2e-3


def test_power_is_the_mean_of_the_second_before() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            first = shown(service.exporter.page())[POWER]
            await client.ask(max_tokens=150, exact=True)
            now = monotonic_ns()
            renewed = service.exporter.renewed_ns(now)
            true_w = service.live.between(renewed - 10**9, renewed).total_j
            return first, shown(service.exporter.page(now))[POWER], true_w

    first_w, later_w, true_w = run(simulation(meter_interval_s=0.05), work)
    assert first_w < later_w
    assert later_w == pytest.approx(true_w, abs=2e-3)


def test_our_dcgm_meter_reads_every_board_and_names_it_simulated() -> None:
    with ServedSimulation(simulation(tensor_parallel=2, meter_interval_s=0.05)) as served:
        found = find_dcgm(MeterAddress.parse(served.meter()))
        assert len(found) == 2
        for device, finding in enumerate(found):
            assert finding.spec is not None
            assert finding.info is not None
            assert finding.info.device_name == "Simulated SMALL"
            assert finding.info.device_id == uuid_of(device)
            source = open_dcgm(finding.spec)
            before = source.read(0)
            asked = monotonic_ns()
            reading = source.read(0)
            true = served.truth(t0=int(served.truth()["t0_ns"]), t1=asked, device=device)["total_j"]
            step_j = 2 * 75.0 * 0.05  # a renewal and the time of the read, at the most the board draws
            assert abs(reading.values["energy_j"] - true) < step_j + 75.0 * reading.read_ns * 1e-9
            assert reading.values["energy_j"] >= before.values["energy_j"]
            assert reading.values["power_limit_w"] == 75.0


def test_no_real_board_is_called_like_these() -> None:
    async def work(service: Service) -> str:
        return service.exporter.page()

    page = run(simulation(), work)
    boards = boards_on(parse_exposition(page))
    (board,) = boards.values()
    assert "SIMULATED" in board.uuid
    assert board.model is not None
    assert "Simulated" in board.model
    assert board.host == "simulated"


GAUGES = {
    "vllm": (
        "vllm:num_requests_running",
        "vllm:num_requests_waiting",
        "vllm:kv_cache_usage_perc",
        "vllm:num_preemptions_total",
        "vllm:prompt_tokens_total",
        "vllm:generation_tokens_total",
    ),
    "sglang": (
        "sglang:num_running_reqs",
        "sglang:num_queue_reqs",
        "sglang:token_usage",
        "sglang:num_retracted_requests_total",
        "sglang:prompt_tokens_total",
        "sglang:generation_tokens_total",
    ),
    "llamacpp": (
        "llamacpp:requests_processing",
        "llamacpp:requests_deferred",
        None,
        None,
        "llamacpp:prompt_tokens_total",
        "llamacpp:tokens_predicted_total",
    ),
    "tgi": (
        "tgi_batch_current_size",
        "tgi_queue_size",
        None,
        None,
        "tgi_request_input_length_sum",
        "tgi_request_generated_tokens_sum",
    ),
}


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_an_engine_tells_its_batch_its_queue_and_its_tokens(name: str) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            trial = client.truth(1)
            working = asyncio.ensure_future(client.together([f"q {i}" for i in range(6)], max_tokens=60))
            during = [await raw(service, PAGE)]
            while not working.done():  # six requests do not all arrive at the first look
                during.append(await raw(service, PAGE))
            asked = await working
            return trial, during, await raw(service, PAGE), [one.reply for one in asked]

    trial, during, after, replies = run(simulation(name, max_batch=4, mean_tokens=40), work)
    if name not in GAUGES:
        assert b"200 OK" not in during[0].partition(b"\r\n")[0] or name == "lmstudio"
        return
    running, waiting, kv, preempted, prompts, generated = GAUGES[name]
    *looks, now = (shown(page.decode().partition("\r\n\r\n")[2]) for page in (*during, after))
    assert max(look[running] for look in looks) == 4
    full = [look for look in looks if (look[running], look[waiting]) == (4, 2)]
    assert full
    assert (now[running], now[waiting]) == (0, 0)
    assert now[prompts] == trial["prompt_tokens"] + sum(reply.usage.prompt for reply in replies)
    assert now[generated] == trial["completion_tokens"] + sum(reply.usage.completion for reply in replies)
    if kv is not None:
        assert all(0 < look[kv] < 1 for look in full)
        assert now[kv] == 0
        assert now[preempted] == 0


PAGE = b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_preemptions_are_counted() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            await client.together([f"q {i}" for i in range(4)], max_tokens=60, exact=True)
            page = await raw(service, PAGE)
            return shown(page.decode().partition("\r\n\r\n")[2]), service.truth.answer({})

    page, totals = run(simulation(kv_tokens=192), work)
    assert page["vllm:num_preemptions_total"] == totals["preemptions"] > 0


def test_the_exposition_is_one_that_our_reader_takes_whole() -> None:
    async def work(service: Service) -> list[str]:
        return [
            (await raw(service, PAGE.replace(b"/metrics", path))).decode().partition("\r\n\r\n")[2]
            for path in (b"/metrics", b"/dcgm/metrics")
        ]

    for page in run(simulation("vllm"), work):
        names = {line.split("{")[0].split(" ")[0] for line in page.splitlines() if line[0] != "#"}
        assert {sample.name for sample in parse_exposition(page).samples} == names
