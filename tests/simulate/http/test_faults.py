"""Faults: written, chosen, and met by our own client."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulation_client import Client, body_of, post, raw, run, simulation
from joulemark.record.errors import InputError
from joulemark.simulate.http import PROFILES, FaultSchedule, Service, parse_fault, read_faults


def met(profile: str, fault: str, asks: int = 1, **options: Any) -> tuple[list[Any], dict[str, Any]]:
    """Ask ``asks`` questions, the first of them the chat request number 2; return them and the truth."""

    async def work(service: Service) -> Any:
        async with Client(service, stall_timeout_s=0.6) as client:
            asked = [await client.ask(f"question {i}", **options) for i in range(asks)]
            await asyncio.sleep(0.05)
            return asked, service.truth.answer({})

    return run(simulation(profile, faults=FaultSchedule([parse_fault(fault)])), work)


def first_of(profile: str) -> int:
    """The number of the first request after those that `UrlEngine.start` makes."""
    return 3 if profile == "lmstudio" else 2


def test_429_is_met_with_its_wait_and_the_retry_succeeds() -> None:
    begin_s = time.monotonic()
    (asked,), truth = met("vllm", "429:at=2,retry_after=0.5", retries=2)
    assert time.monotonic() - begin_s > 0.5
    assert [attempt.error for attempt in asked.attempts] == ["http_429", None]
    assert "too many requests" in asked.sentences[0]
    assert asked.reply.ok
    assert truth["faults"] == {"429": 1}
    assert truth["n_answered"] == 2  # the trial, and the retry


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_error(status: int) -> None:
    (asked, after), _ = met("openai", f"{status}:at=2", asks=2)
    assert asked.exchange.status == status
    assert asked.attempts[0].error == f"http_{status}"
    assert after.reply.ok


def test_refused_without_a_word() -> None:
    (asked, after), truth = met("vllm", "refuse:at=2", asks=2)
    assert asked.exchange.error in ("reset", "cut")
    assert asked.exchange.status is None
    assert after.reply.ok
    assert truth["n_taken"] == 3


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_cut_in_the_middle_is_a_failure_and_its_joules_are_known(profile: str) -> None:
    (asked,), truth = met(profile, f"cut:at={first_of(profile)},after=6")
    assert not asked.reply.ok
    assert asked.exchange.error in ("reset", "cut")
    assert 0 < len(asked.reply.chunks) <= 6
    assert truth["aborted_j"] > 0
    assert truth["n_answered"] == truth["n_taken"] - 1
    assert truth["faults"] == {"cut": 1}


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_an_error_in_the_stream_fails_the_answer_though_the_status_is_200(profile: str) -> None:
    (asked,), _ = met(profile, f"error:at={first_of(profile)},after=6")
    assert asked.exchange.status == 200
    assert not asked.reply.ok
    assert "fault was asked for" in asked.reply.error.message
    assert asked.attempts[0].error == "answer"


def test_an_error_of_an_answer_that_is_not_streamed_has_a_status() -> None:
    async def work(service: Service) -> bytes:
        return await raw(service, post(service, stream=False))

    answer = run(simulation("vllm", faults=FaultSchedule([parse_fault("error")])), work)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"fault was asked for" in body_of(answer)


def test_a_stall_without_end_is_given_up_by_the_client() -> None:
    (asked,), truth = met("vllm", "stall:at=2,after=3")
    assert asked.exchange.error == "stall"
    assert len(asked.reply.chunks) == 3
    # the engine went on, as one behind a line that hangs does
    assert truth["n_answered"] == 2


def test_a_short_stall_makes_one_long_gap_and_loses_nothing() -> None:
    (asked,), _ = met("vllm", "stall:at=2,after=3,for=0.3")
    reply = asked.reply
    assert reply.ok
    stamps = [chunk.t_ns for chunk in reply.chunks]
    gaps = [b - a for a, b in pairwise(stamps)]
    assert len(reply.chunks) == 24 - 1  # the stop has no chunk
    assert max(gaps) > 0.25e9
    assert gaps.index(max(gaps)) == 2


def test_a_slow_line_delays_every_part_alike() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            return (await client.ask()).reply, client.truth(2)

    schedule = FaultSchedule([parse_fault("slow:at=2,by=0.3")])
    reply, true = run(simulation("vllm", faults=schedule), work)
    assert reply.ok
    assert reply.t_first - true["t_first_ns"] > 0.3e9
    assert reply.t_end - true["t_end_ns"] > 0.3e9
    assert len(reply.chunks) == true["completion_tokens"] - 1  # the stop has no chunk


def test_an_outage_refuses_connections_and_ends() -> None:
    async def work(service: Service) -> list[str | None]:
        async with Client(service) as client:
            seen = []
            end = time.monotonic() + 10
            while time.monotonic() < end and seen[-2:] != ["refused", None]:
                seen.append((await client.ask(max_tokens=2)).exchange.error)
                await asyncio.sleep(0.05)
            return seen

    fault = parse_fault("refuse:from=2,to=2.5")  # once the client has started
    assert fault.is_outage
    seen = run(simulation("vllm", faults=FaultSchedule([fault])), work)
    assert seen[0] is None
    assert "refused" in seen
    assert seen[-1] is None


def test_a_client_that_goes_away_is_let_go() -> None:
    async def work(service: Service) -> dict[str, Any]:
        await raw(service, post(service, stream=True, max_tokens=5000, ignore_eos=True), until=b" look")
        end = time.monotonic() + 5
        while service.live.server.running and time.monotonic() < end:
            await asyncio.sleep(0.01)
        return service.truth.answer({})

    truth = run(simulation("vllm"), work)
    assert truth["faults"] == {"client_gone": 1}
    assert truth["n_answered"] == 0
    assert truth["in_flight_j"] == 0
    assert truth["aborted_j"] > 0


class TestSchedule:
    """Which request meets which fault."""

    def test_numbers_and_times(self) -> None:
        at = FaultSchedule([parse_fault("503:at=2+5")])
        assert [n for n in range(1, 9) if at.of(n, 0.0)] == [2, 5]
        every = FaultSchedule([parse_fault("503:every=3")])
        assert [n for n in range(1, 10) if every.of(n, 0.0)] == [3, 6, 9]
        window = FaultSchedule([parse_fault("503:from=1,to=2")])
        assert [bool(window.of(1, t)) for t in (0.9, 1.0, 1.9, 2.0)] == [False, True, True, False]

    @given(rate=st.floats(0, 1), seed=st.integers(0, 100))
    @settings(deadline=None, max_examples=30)
    def test_a_rate_is_met_and_the_same_every_time(self, rate: float, seed: int) -> None:
        schedule = FaultSchedule([parse_fault(f"503:rate={rate}")], seed)
        n = 2000
        hit = [number for number in range(n) if schedule.of(number, 0.0)]
        assert abs(len(hit) - rate * n) <= 5 * (rate * (1 - rate) * n) ** 0.5 + 1
        again = FaultSchedule([parse_fault(f"503:rate={rate}")], seed)
        assert hit == [number for number in range(n) if again.of(number, 0.0)]

    def test_of_several_the_first_counts(self) -> None:
        schedule = FaultSchedule([parse_fault("503:at=2"), parse_fault("429")])
        assert [schedule.of(n, 0.0).status for n in (1, 2)] == [429, 503]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "explode",
        "399",
        "503:rate=2",
        "503:rate=nan",
        "503:rate",
        "503:at=0",
        "503:at=x",
        "503:rate=0.1,rate=0.2",
        "cut:after=1.5",
        "slow",
        "cut:colour=red",
    ],
)
def test_what_is_no_fault_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_fault(text)
    assert "--fault" in refused.value.fix


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_text_is_a_fault_or_an_input_error(text: str) -> None:
    try:
        fault = parse_fault(text)
    except InputError:
        return
    assert fault.kind in ("status", "refuse", "cut", "stall", "error", "slow")


def test_faults_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text(
        '[[fault]]\nkind = "429"\nat = [3, 7]\n\n[[fault]]\nkind = "cut"\nrate = 0.5\nafter = 2\n'
    )
    assert read_faults(path) == [parse_fault("429:at=3+7"), parse_fault("cut:rate=0.5,after=2")]
    for text in (
        "",
        "fault = 3",
        "[[fault]]\nkind = 'cut'\nafter = true\n",
        "[[fault]",
        "[[fault]]\nat = 3\n",
    ):
        path.write_text(text)
        with pytest.raises(InputError):
            read_faults(path)
    with pytest.raises(InputError):
        read_faults(tmp_path / "none.toml")
