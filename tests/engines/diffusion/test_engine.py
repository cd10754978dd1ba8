"""The child process and its API, with a pipeline that needs no heavy library."""

from __future__ import annotations

import asyncio
import os
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from joulemark.engines.ask import ask
from joulemark.engines.client import StreamClient
from joulemark.engines.diffusion import DiffusionEngine, DiffusionOptions
from joulemark.engines.diffusion.engine import folder_digest
from joulemark.engines.diffusion.settings import FLUSH
from joulemark.record.errors import InputError

TESTS = Path(__file__).parents[2]
LOADER = "doubles.stand_in_pipeline:load"


@pytest.fixture(autouse=True)
def _own_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def options(**given: Any) -> DiffusionOptions:
    chosen = {"pipeline": "someone/tiny", "kind": "text-to-image", "batch": 2, "steps": 2, "loader": LOADER}
    return DiffusionOptions(**{**chosen, "height": 16, "width": 24, **given})


@asynccontextmanager
async def started(chosen: DiffusionOptions) -> AsyncIterator[DiffusionEngine]:
    engine = DiffusionEngine(chosen)
    try:
        await engine.start()
        yield engine
    finally:
        await engine.stop()


async def batch(engine: DiffusionEngine, *prompts: str) -> Any:
    client = StreamClient(engine.endpoint)
    try:
        return await ask(client, engine.request_body([("user", p) for p in prompts], max_tokens=1, seed=1))
    finally:
        await client.aclose()


def test_batches_are_counted_and_saved_when_all_is_over(tmp_path: Path) -> None:
    folder = tmp_path / "made"

    async def run() -> None:
        async with started(options(save_to=folder)) as engine:
            first, second = await batch(engine, "a", "b"), await batch(engine, "c")
            assert (first.reply.ok, first.reply.media_units, first.reply.streamed) == (True, 2, False)
            assert second.reply.media_units == 1
            assert len(first.exchange.body) < 300, "an answer holds counts, no picture"
            assert first.exchange.t_end - first.exchange.t_sent >= 2 * 0.02e9
            assert not folder.exists(), "nothing is written while it is measured"
            pid = engine.pid()
            assert pid is not None
        assert engine.pid() is None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    asyncio.run(run())
    assert sorted(path.name for path in folder.iterdir()) == [
        "00000-000.png", "00000-001.png", "00001-000.png",
    ]  # fmt: skip


def test_the_manifest_says_all_that_changes_what_is_measured() -> None:
    async def run() -> Any:
        async with started(options(kind="text-to-video", frames=9)) as engine:
            return engine.describe()

    facts = asyncio.run(run())
    assert (facts.kind, facts.version, facts.model, facts.quantization) == (
        "diffusers", "stand-in 1", "someone/tiny", "float32",
    )  # fmt: skip
    assert facts.model_digest == "sha256:of-it"
    assert facts.flags == {
        "pipeline": "ImagePipeline",
        "media": "video",
        "media_kind": "text-to-video",
        "max_batch": 2,
        "denoising_steps": 2,
        "height": 16,
        "width": 24,
        "frames": 9,
    }


def test_a_failing_batch_is_an_error_and_the_next_one_is_made() -> None:
    async def run() -> None:
        async with started(options()) as engine:
            failed = await batch(engine, "fail")
            assert failed.attempts[-1].error == "http_500"
            assert "out of memory" in failed.sentences[-1]
            assert failed.reply.media_units is None
            assert (await batch(engine, "a")).reply.media_units == 1

    asyncio.run(run())


def test_nobody_else_is_served(tmp_path: Path) -> None:
    async def run() -> None:
        async with started(options(save_to=tmp_path / "made")) as engine:
            origin = engine.endpoint.origin

            def status(path: str, key: str) -> int:
                asked = urllib.request.Request(
                    origin + path, orjson.dumps({"folder": str(tmp_path / "x")}), {"Authorization": key}
                )
                try:
                    with urllib.request.urlopen(asked, timeout=10) as answer:
                        return int(answer.status)
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code

            right = engine.endpoint.headers["Authorization"]
            assert await asyncio.to_thread(status, FLUSH, "Bearer guessed") == 401
            assert not (tmp_path / "x").exists()
            assert await asyncio.to_thread(status, "/v1/other", right) == 404
            assert await asyncio.to_thread(status, FLUSH, right) == 200

    asyncio.run(run())


def test_why_a_pipeline_cannot_be_loaded_is_told() -> None:
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        asyncio.run(DiffusionEngine(options(pipeline="broken")).start())
    assert "there is no such pipeline" in str(caught.value)
    with pytest.raises(InputError) as caught:
        asyncio.run(DiffusionEngine(options(loader="doubles.no_such:load")).start())
    assert "joulemark[diffusion]" in str(caught.value)


def test_a_folder_is_known_by_what_it_holds(tmp_path: Path) -> None:
    folder = tmp_path / "pipeline"
    (folder / "unet").mkdir(parents=True)
    (folder / "unet" / "weights").write_bytes(b"1")
    first = folder_digest(folder)
    (folder / ".cache").mkdir()
    (folder / ".cache" / "note").write_text("a downloader's")
    assert folder_digest(folder) == first
    (folder / "unet" / "weights").rename(folder / "unet" / "other")
    assert folder_digest(folder) != first


@pytest.mark.parametrize(
    "wrong", [{"batch": 0}, {"steps": 0}, {"frames": 3}, {"kind": "text-to-video"}, {"dtype": "int3"}]
)
def test_options_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        options(**wrong)
