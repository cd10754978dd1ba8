"""The embedded engine: llama.cpp in a child process, on a GGUF file of this machine."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from joulemark.engines.child import Child, ChildFailed
from joulemark.engines.cores import usable_cores
from joulemark.engines.embedded_server import Ready, Settings
from joulemark.engines.engine import Progress, silent
from joulemark.engines.exchange import Endpoint
from joulemark.engines.file_digest import remembered_sha256
from joulemark.engines.gguf import GgufInfo, read_gguf
from joulemark.engines.kinds.identity import IGNORE_EOS
from joulemark.engines.log_folder import LogFolder, log_tail
from joulemark.engines.model_files import ensure_model
from joulemark.engines.probe import Prober, error_message
from joulemark.engines.request_style import RequestStyle
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record import manifest

DEFAULT_N_CTX = 4096
# How llama.cpp's threads wait for each other: asleep ("passive") they cost a quiet machine three quarters of
# its speed, spinning they stall a busy one. It stays the user's choice, and is recorded.
_WAIT_POLICY = "OMP_WAIT_POLICY"


@dataclass(frozen=True, slots=True)
class EmbeddedOptions:
    """What the user may choose.

    ``model`` is a GGUF file, null for the built-in one (fetched at need). ``threads`` null: one for each
    physical core that this process may use. ``n_ctx`` is the context in tokens of *one* request, null for
    the model's own but at most 4096. ``n_parallel`` is how many requests are served at once. ``allow_cache``
    lets a request use what the one before left in its place, where prompts begin alike.
    """

    model: Path | None = None
    threads: int | None = None
    n_ctx: int | None = None
    n_parallel: int = 1
    allow_cache: bool = False
    start_deadline_s: float = 300.0

    def __post_init__(self) -> None:
        for name, value, least in (
            ("threads", self.threads, 1),
            ("n_ctx", self.n_ctx, 64),
            ("n_parallel", self.n_parallel, 1),
        ):
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", why=f"it must be at least {least}")


class EmbeddedEngine:
    """llama.cpp through ``xllamacpp`` as an `Engine`.

    Its server listens on 127.0.0.1 only, behind a key that lives as long as it does, so that nobody else's
    request is measured. ``log_dir`` gets ``engine.log``; null: a temporary folder, removed by a clean `stop`.
    """

    def __init__(
        self,
        options: EmbeddedOptions | None = None,
        *,
        log_dir: Path | None = None,
        progress: Progress = silent,
    ) -> None:
        self._options = options or EmbeddedOptions()
        self._logs, self._progress = LogFolder(log_dir), progress
        self._child: Child | None = None
        self._endpoint: Endpoint | None = None
        self._loaded: _Loaded | None = None

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go; only after `start`."""
        if self._endpoint is None:
            raise RuntimeError("the embedded engine has not been started")
        return self._endpoint

    async def start(self) -> None:
        """Fetch the model if need be, start the server and wait until it answers."""
        _require_xllamacpp()
        path = self._options.model
        if path is None:
            path = await asyncio.to_thread(ensure_model, self._progress)
        info = await asyncio.to_thread(read_gguf, path)
        _require_usable(path, info)
        digest = await asyncio.to_thread(remembered_sha256, path)
        settings = self._settings(path, info)
        log_path = self._logs.open() / "engine.log"
        argv = [sys.executable, "-P", "-m", "joulemark.engines.embedded_server"]
        self._child = Child(argv, log_path)
        self._progress(f"Starting llama.cpp on {path.name}", None)
        try:
            line = orjson.dumps(asdict(settings))
            answer = await self._child.start(line, deadline_s=self._options.start_deadline_s)
            ready = Ready(**orjson.loads(answer))
            endpoint = _endpoint(ready.address, settings.api_key)
            await _require_health(endpoint)
        except ChildFailed as failure:
            raise self._start_error(str(failure), path) from None
        self._loaded = _Loaded(settings, ready, info, digest)
        self._endpoint = endpoint

    async def stop(self) -> None:
        """End the server and everything that it started. The log of one that died by itself is kept."""
        crashed = self.died()
        child, self._child = self._child, None
        if child is not None:
            await child.stop()
        self._logs.close(keep=crashed)

    def pid(self) -> int | None:
        """Return the server's process id, null when it is not running."""
        return self._child.pid if self._child else None

    def died(self) -> bool:
        """Tell whether the server was started and is gone without `stop`."""
        return self._loaded is not None and self._child is not None and self._child.pid is None

    @property
    def log_path(self) -> Path | None:
        """Where llama.cpp's log is, null before `start`."""
        return self._child.log_path if self._child else None

    @property
    def request_body(self) -> RequestStyle:
        """How requests are written: prompt caching is asked for, or not once more beside the server's own."""
        return RequestStyle(
            self._require_loaded().settings.model_alias,
            # A running count beside each chunk tells how many tokens it holds: a chunk need not be a token.
            extra={"cache_prompt": self._options.allow_cache, "timings_per_token": True},
            exact_fields=IGNORE_EOS,
        )

    def describe(self) -> manifest.Engine:
        """Return the manifest's entry; only after `start`."""
        from joulemark.record import manifest

        loaded = self._require_loaded()
        settings, ready, info = loaded.settings, loaded.ready, loaded.info
        build = ready.known_build
        nulls = {"quantization": info.quantization, "flags.llama_cpp_build": build}
        reasons = {name: str(Reason.NOT_REPORTED) for name, value in nulls.items() if value is None}
        pid = self.pid()
        if pid is None:
            reasons["pid"] = str(Reason.NOT_APPLICABLE)
        return manifest.Engine(
            kind="embedded",
            version=f"xllamacpp {ready.xllamacpp}",
            model=settings.model_alias,
            model_digest=f"sha256:{loaded.digest}",
            quantization=info.quantization,
            flags={
                "threads": settings.threads,
                "n_ctx": settings.n_ctx,
                "n_parallel": settings.n_parallel,
                "n_gpu_layers": "auto",  # llama.cpp's choice: what fits, where its build knows a GPU
                "cache_prompt": self._options.allow_cache,
                "top_k": ready.top_k,
                "min_p": ready.min_p,
                "omp_wait_policy": os.environ.get(_WAIT_POLICY, "default"),
                "devices": ready.devices,
                "llama_cpp_build": build,
                "architecture": info.architecture or "unknown",
                "parameters": info.parameters,
            },
            prefix_cache=self._options.allow_cache,
            pid=pid,
            local=True,
            reasons=reasons,
        )

    def _require_loaded(self) -> _Loaded:
        if self._loaded is None:
            raise RuntimeError("the embedded engine has not been started")
        return self._loaded

    def _settings(self, path: Path, info: GgufInfo) -> Settings:
        options = self._options
        own = info.context_length or DEFAULT_N_CTX
        return Settings(
            parent_pid=os.getpid(),
            model_path=str(path.resolve()),
            model_alias=path.stem,
            threads=options.threads or usable_cores(),
            n_ctx=options.n_ctx or min(own, DEFAULT_N_CTX),
            n_parallel=options.n_parallel,
            api_key=secrets.token_urlsafe(24),
        )

    def _start_error(self, why: str, path: Path) -> InputError:
        assert self._child is not None
        self._child.kill()
        log_path = self._child.log_path
        self._child = None
        self._logs.close(keep=True)
        return InputError(
            f"llama.cpp did not start on {path}",
            why=f"{why}; the end of its log ({log_path}):\n{log_tail(log_path)}",
            fix="try a smaller --n-ctx, another GGUF file, or the built-in model (leave --model out)",
        )


@dataclass(frozen=True, slots=True)
class _Loaded:
    settings: Settings
    ready: Ready
    info: GgufInfo
    digest: str


def _endpoint(address: str, api_key: str) -> Endpoint:
    url = urlsplit(address)
    if url.hostname != "127.0.0.1" or url.port is None:
        raise ChildFailed(f"it listens at {address}, not on a port of 127.0.0.1")
    return Endpoint(url.scheme, url.hostname, url.port, headers={"Authorization": f"Bearer {api_key}"})


async def _require_health(endpoint: Endpoint) -> None:
    """Raise `ChildFailed` unless the server answers; it has loaded the model before it gave its address."""
    async with Prober(endpoint) as prober:
        exchange = await prober.get("/health")
    if exchange.status != 200:
        raise ChildFailed(f"it does not answer ({error_message(exchange)})")


def _require_xllamacpp() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        raise InputError(
            "The embedded engine is not installed",
            why="it needs the package xllamacpp",
            fix=f"{sys.executable} -m pip install 'joulemark[embedded]'",
        )


def _require_usable(path: Path, info: GgufInfo) -> None:
    if info.parts > 1:
        raise InputError(
            f"{path} is one of {info.parts} parts of a model",
            why="a digest of one part would not name the model",
            fix=f"llama-gguf-split --merge {path} merged.gguf",
        )
    if not info.has_chat_template:
        raise InputError(
            f"{path} holds a model that cannot chat",
            why="it has no chat template, so it is a base model",
            fix="give an instruction-tuned model (its name often ends in -Instruct or -it)",
        )
