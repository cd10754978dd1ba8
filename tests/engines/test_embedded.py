from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from doubles.gguf_file import gguf_bytes, pair
from joulemark.engines.ask import Asked, RetryPolicy, ask
from joulemark.engines.client import StreamClient
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.engines.probe import json_object
from joulemark.record.errors import InputError

pytest.importorskip("xllamacpp", reason="the extra [embedded] is not installed")

QUESTION = [("system", "You answer in one short sentence."), ("user", "What is the capital of France?")]


@pytest.fixture(scope="module")
def engine(built_in_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(
        EmbeddedOptions(n_parallel=2, threads=1, n_ctx=1024), log_dir=tmp_path_factory.mktemp("engine")
    )
    asyncio.run(engine.start())
    yield engine
    asyncio.run(engine.stop())


def send(engine: EmbeddedEngine, *bodies: bytes) -> list[Asked]:
    async def run() -> list[Asked]:
        async with StreamClient(engine.endpoint) as client:
            return await asyncio.gather(*(ask(client, body) for body in bodies))

    return asyncio.run(run())


def fetch(endpoint: Endpoint, path: str) -> Exchange:
    async def run() -> Exchange:
        async with StreamClient(endpoint) as client:
            return await client.exchange(path=path, method="GET")

    return asyncio.run(run())


def test_a_chat_is_streamed_with_its_tokens(engine: EmbeddedEngine) -> None:
    (asked,) = send(engine, engine.request_body(QUESTION, max_tokens=40, seed=1))
    reply = asked.reply
    assert reply.ok
    assert "Paris" in reply.text
    assert reply.streamed
    assert reply.usage is not None
    assert reply.usage.prompt is not None
    assert reply.usage.prompt > 20
    assert reply.usage.completion is not None
    assert 2 <= reply.usage.completion <= 40
    assert reply.t_first is not None
    assert asked.exchange.t_sent < reply.t_first <= asked.exchange.t_end
    assert len(reply.chunks) > 1
    assert [attempt.error for attempt in asked.attempts] == [None]
    assert asked.attempts[0].tokens == reply.usage.completion
    assert set(reply.engine_ns) == {"prefill", "decode"}
    assert 0 < sum(reply.engine_ns.values()) <= asked.exchange.t_end - asked.exchange.t_sent


def test_no_prompt_is_cheaper_for_having_come_second(engine: EmbeddedEngine) -> None:
    long_prompt = [("system", "You are careful and exact. " * 10), *QUESTION[1:]]
    body = engine.request_body(long_prompt, max_tokens=4)
    cached = [send(engine, body)[0].reply.usage for _ in range(3)]  # more often than there are slots
    assert [usage and usage.cached for usage in cached] == [0, 0, 0]
    # The figure is alive: a client that asks for caching gets it.
    asking_for_it = orjson.dumps({**orjson.loads(body), "cache_prompt": True})
    for _ in range(3):
        usage = send(engine, asking_for_it)[0].reply.usage
    assert usage is not None
    assert usage.cached is not None
    assert usage.cached > 40
    # and the server's own setting holds for a request that says nothing
    silent = {key: value for key, value in orjson.loads(body).items() if key != "cache_prompt"}
    usage = send(engine, orjson.dumps(silent))[0].reply.usage
    assert usage is not None
    assert usage.cached == 0


def test_greedy_answers_and_seeded_answers_repeat(engine: EmbeddedEngine) -> None:
    greedy = engine.request_body(QUESTION, max_tokens=16)
    assert send(engine, greedy)[0].reply.text == send(engine, greedy)[0].reply.text
    seeded = [engine.request_body(QUESTION, max_tokens=16, temperature=1.5, seed=s) for s in (7, 7, 8)]
    texts = [send(engine, body)[0].reply.text for body in seeded]
    assert texts[0] == texts[1] != texts[2]


def test_requests_are_served_at_once_each_with_the_whole_context(engine: EmbeddedEngine) -> None:
    bodies = [engine.request_body(QUESTION, max_tokens=24)] * 2
    first, second = send(engine, *bodies)
    assert first.reply.ok
    assert second.reply.ok
    assert max(first.exchange.t_sent, second.exchange.t_sent) < min(
        first.reply.t_first or 0, second.reply.t_first or 0
    )
    props = json_object(fetch(engine.endpoint, "/props"))
    assert props is not None
    assert props["total_slots"] == 2
    assert props["default_generation_settings"]["n_ctx"] == 1024  # type: ignore[index]


def test_its_closing_of_a_connection_that_it_promised_to_keep_is_no_retry(engine: EmbeddedEngine) -> None:
    """It closes some 0.2 ms after a stream; held up just before, it meets the next request there."""
    body, pid = engine.request_body([("user", "Hi")], max_tokens=1), engine.pid() or 0

    async def run() -> list[Asked]:
        async with StreamClient(engine.endpoint) as client:
            asked = []
            for _ in range(8):
                next_one = asyncio.create_task(ask(client, body, RetryPolicy(retries=3)))
                await asyncio.sleep(0.005)
                os.kill(pid, signal.SIGCONT)
                asked.append(await next_one)
                time.sleep(0.00005)  # the message ends right behind the last word
                for _ in range(2):
                    await asyncio.sleep(0)
                os.kill(pid, signal.SIGSTOP)
            return asked

    try:
        no_retries(asyncio.run(run()))
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_busy_machine_makes_no_retries(engine: EmbeddedEngine) -> None:
    body = engine.request_body([("user", "Hi")], max_tokens=1)

    async def run() -> list[Asked]:
        async with StreamClient(engine.endpoint) as client:
            asked = []
            for number in range(60):
                asked.append(await ask(client, body, RetryPolicy(retries=3)))
                time.sleep(0.00005 * (number % 12))  # the loop sees nothing meanwhile
            return asked

    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as hog:
        try:
            no_retries(asyncio.run(run()))
        finally:
            hog.kill()


def no_retries(asked: list[Asked]) -> None:
    assert all("keep-alive" in one.exchange.headers for one in asked), "what it promises"
    assert [attempt.error for one in asked for attempt in one.attempts] == [None] * len(asked)


def test_the_description_is_whole(engine: EmbeddedEngine, built_in_model: Path) -> None:
    facts = engine.describe()
    assert facts.kind == "embedded"
    assert facts.model == built_in_model.stem
    assert facts.model_digest is not None
    assert facts.model_digest.startswith("sha256:b179c952")
    assert facts.quantization == "Q4_1"
    assert facts.version is not None
    assert facts.version.startswith("xllamacpp 20")
    assert (facts.prefix_cache, facts.local, facts.pid) == (False, True, engine.pid())
    assert {
        "threads": 1,
        "n_ctx": 1024,
        "n_parallel": 2,
        "cache_prompt": False,
    }.items() <= facts.flags.items()
    nulls = [name for name, value in facts.model_dump().items() if value is None]
    nulls += [f"flags.{name}" for name, value in facts.flags.items() if value is None]
    assert set(nulls) - {"endpoint_hash"} <= set(facts.reasons)  # the run fills that one


def test_only_the_loopback_is_listened_on_and_only_with_the_key(engine: EmbeddedEngine) -> None:
    assert listening_addresses(engine.pid() or 0) == {("127.0.0.1", engine.endpoint.port)}
    stranger = replace(engine.endpoint, headers={})
    assert fetch(stranger, "/props").status == 401
    assert fetch(engine.endpoint, "/props").status == 200


def listening_addresses(pid: int) -> set[tuple[str, int]]:
    links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                octets = [str(int(address[i : i + 2], 16)) for i in range(0, len(address), 2)]
                found.add((".".join(reversed(octets)), int(port, 16)))
    return found


def test_stop_ends_the_process_and_may_come_twice_or_first(built_in_model: Path) -> None:
    async def run() -> None:
        engine = EmbeddedEngine(EmbeddedOptions(threads=1, n_ctx=256))
        await engine.stop()
        await engine.start()
        pid, log_path = engine.pid(), engine.log_path
        assert pid is not None
        assert log_path is not None
        assert not engine.died()
        began = time.monotonic()
        await engine.stop()
        assert time.monotonic() - began < 2.5  # it ends by itself, long before it would be killed
        assert not Path(f"/proc/{pid}").exists()
        assert not log_path.exists()
        assert engine.pid() is None
        assert not engine.died()
        await engine.stop()

    asyncio.run(run())


def test_a_server_that_dies_is_noticed(built_in_model: Path) -> None:
    async def run() -> None:
        engine = EmbeddedEngine(EmbeddedOptions(threads=1, n_ctx=256))
        await engine.start()
        try:
            pid = engine.pid()
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await wait_until(engine.died)
            async with StreamClient(engine.endpoint) as client:
                asked = await ask(client, engine.request_body(QUESTION, max_tokens=4))
            assert not asked.reply.ok
            assert asked.attempts[0].error == "refused"
        finally:
            log_path = engine.log_path
            await engine.stop()
        assert log_path is not None
        assert log_path.exists()  # it may say why
        shutil.rmtree(log_path.parent)

    asyncio.run(run())


async def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


PARENT = """
import asyncio, pathlib, sys
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions

async def main():
    engine = EmbeddedEngine(EmbeddedOptions(threads=1, n_ctx=256), log_dir=pathlib.Path(sys.argv[1]))
    await engine.start()
    print(engine.pid(), flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_its_parent(how: signal.Signals, built_in_model: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        parent.send_signal(how)
        parent.wait()
        asyncio.run(wait_until(lambda: not is_running(child)))


def is_running(pid: int) -> bool:
    """Tell whether a process lives; one that nobody reaps yet is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_model_that_does_not_load_shows_the_end_of_the_log(
    tmp_path: Path,
) -> None:
    model = tmp_path / "nonsense.gguf"
    model.write_bytes(gguf_bytes(architecture="nonsense"))

    async def run() -> None:
        engine = EmbeddedEngine(EmbeddedOptions(model=model), log_dir=tmp_path / "run")
        with pytest.raises(InputError) as caught:
            await engine.start()
        assert "unknown model architecture: 'nonsense'" in caught.value.why
        assert "Traceback" not in caught.value.why
        assert "it ended with code 1" in caught.value.why
        assert caught.value.fix
        assert engine.pid() is None
        await engine.stop()

    asyncio.run(run())
    assert (tmp_path / "run" / "engine.log").exists()


def test_a_start_past_its_deadline_is_given_up(built_in_model: Path, tmp_path: Path) -> None:
    async def run() -> None:
        engine = EmbeddedEngine(
            EmbeddedOptions(threads=1, n_ctx=256, start_deadline_s=0.05), log_dir=tmp_path
        )
        with pytest.raises(InputError, match="not ready after"):
            await engine.start()
        assert engine.pid() is None

    asyncio.run(run())


def test_a_cancelled_start_leaves_no_process(built_in_model: Path, tmp_path: Path) -> None:
    async def run() -> int:
        engine = EmbeddedEngine(EmbeddedOptions(threads=1, n_ctx=256), log_dir=tmp_path)
        task = asyncio.create_task(engine.start())
        await wait_until(lambda: engine.pid() is not None)
        pid = engine.pid()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert pid is not None
        return pid

    assert not is_running(asyncio.run(run()))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"threads": 0}, "threads is 0"),
        ({"n_ctx": 3}, "n_ctx is 3"),
        ({"n_parallel": -1}, "n_parallel is -1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        EmbeddedOptions(**options)


def test_a_base_model_a_part_and_a_missing_file_are_refused_before_anything_starts(
    tmp_path: Path,
) -> None:
    base = tmp_path / "base.gguf"
    base.write_bytes(gguf_bytes(chat_template=None))

    async def start(model: Path) -> None:
        await EmbeddedEngine(EmbeddedOptions(model=model), log_dir=tmp_path / "run").start()

    with pytest.raises(InputError, match="cannot chat"):
        asyncio.run(start(base))
    part = tmp_path / "part.gguf"
    part.write_bytes(gguf_bytes(pairs=(pair("split.count", 3),)))
    with pytest.raises(InputError, match="one of 3 parts"):
        asyncio.run(start(part))
    with pytest.raises(InputError, match="no model file"):
        asyncio.run(start(tmp_path / "none.gguf"))
    assert not (tmp_path / "run").exists()


def test_nothing_is_described_before_the_start() -> None:
    engine = EmbeddedEngine()
    for use in (lambda: engine.endpoint, engine.describe, lambda: engine.request_body([], max_tokens=1)):
        with pytest.raises(RuntimeError, match="not been started"):
            use()
