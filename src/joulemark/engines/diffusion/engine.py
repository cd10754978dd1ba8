"""A diffusion pipeline in a child process, as an engine that a run can ask."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from joulemark.engines.child import Child, ChildFailed
from joulemark.engines.diffusion.on_this_machine import INSTALL
from joulemark.engines.diffusion.options import DiffusionOptions
from joulemark.engines.diffusion.settings import FLUSH, GENERATE, HEALTH, Ready, Settings
from joulemark.engines.diffusion.style import MediaStyle
from joulemark.engines.engine import Progress, silent
from joulemark.engines.exchange import Endpoint
from joulemark.engines.file_digest import remembered_sha256
from joulemark.engines.log_folder import LogFolder, log_tail
from joulemark.engines.probe import Prober, error_message
from joulemark.engines.published_name import published_name
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record import manifest

_SAVING_S = 3600.0


class DiffusionEngine:
    """A pipeline as an `joulemark.engines.engine.Engine`: a request makes one batch.

    Its server listens on 127.0.0.1 only, behind a key. What was made stays in the child's memory until
    `stop`, which has it written where the options say so: after the run's windows, so that saving costs none
    of the energy that is measured. ``log_dir`` gets ``engine.log``, null: a temporary folder.
    """

    def __init__(
        self, options: DiffusionOptions, *, log_dir: Path | None = None, progress: Progress = silent
    ) -> None:
        self._options, self._logs, self._progress = options, LogFolder(log_dir), progress
        self._child: Child | None = None
        self._loaded: _Loaded | None = None

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go; only after `start`."""
        return self._require_loaded().endpoint

    async def start(self) -> None:
        """Load the pipeline in a child process and wait until it answers. Raises `InputError`."""
        options = self._options
        digest = None
        if options.folder is not None:
            self._progress(f"Computing the digest of {options.folder.name}", None)
            digest = await asyncio.to_thread(folder_digest, options.folder)
        settings = Settings(
            parent_pid=os.getpid(),
            pipeline=str(options.folder.resolve()) if options.folder else options.pipeline,
            kind=options.kind,
            revision=options.revision,
            device=options.device,
            dtype=options.dtype,
            loader=options.loader,
            keep_bytes=options.keep_bytes if options.save_to else 0,
            api_key=secrets.token_urlsafe(24),
        )
        argv = [sys.executable, "-P", "-m", "joulemark.engines.diffusion.server"]
        self._child = Child(argv, self._logs.open() / "engine.log")
        self._progress(f"Loading {options.pipeline}", None)
        try:
            answer = await self._child.start(
                orjson.dumps(asdict(settings)), deadline_s=options.start_deadline_s
            )
            ready = Ready(**orjson.loads(answer))
            headers = {"Authorization": f"Bearer {settings.api_key}"}
            endpoint = Endpoint("http", "127.0.0.1", ready.port, GENERATE, headers)
            async with Prober(endpoint) as prober:
                health = await prober.get(HEALTH)
            if health.status != 200:
                raise ChildFailed(f"it does not answer ({error_message(health)})")
        except ChildFailed as failure:
            raise self._start_error(str(failure)) from None
        self._loaded = _Loaded(ready, endpoint, ready.digest if digest is None else digest)

    async def stop(self) -> None:
        """Have what was made written, if it is wanted, then end the child."""
        crashed = self.died()
        child, self._child = self._child, None
        try:
            if child is not None and child.pid is not None and self._loaded is not None:
                await self._save(self._loaded.endpoint)
        finally:
            if child is not None:
                await child.stop()
            self._logs.close(keep=crashed)

    async def _save(self, endpoint: Endpoint) -> None:
        folder = self._options.save_to
        if folder is None:
            return
        self._progress(f"Saving what was made in {folder}", None)
        async with Prober(endpoint, timeout_s=_SAVING_S) as prober:
            exchange = await prober.post(FLUSH, orjson.dumps({"folder": str(folder.resolve())}))
        if exchange.status != 200:
            raise InputError(
                f"what was made could not be saved in {folder}",
                why=error_message(exchange),
                fix="give --save a folder that you may write to; the run itself is recorded",
            )
        told = orjson.loads(exchange.body)
        dropped = f"; {told['dropped']} more were dropped for want of memory" if told["dropped"] else ""
        self._progress(f"{told['saved']} saved in {folder}{dropped}", None)

    def pid(self) -> int | None:
        """Return the child's process id, null when it is not running."""
        return self._child.pid if self._child else None

    def died(self) -> bool:
        """Tell whether the child was started and is gone without `stop`."""
        return self._loaded is not None and self._child is not None and self._child.pid is None

    @property
    def log_path(self) -> Path | None:
        """Where the child's log is, null before `start`."""
        return self._child.log_path if self._child else None

    @property
    def request_body(self) -> MediaStyle:
        """How a batch is asked for."""
        options = self._options
        return MediaStyle(options.steps, options.height, options.width, options.frames)

    def describe(self) -> manifest.Engine:
        """Return the manifest's entry; only after `start`."""
        from joulemark.record import manifest

        loaded, options = self._require_loaded(), self._options
        reasons = {}
        if loaded.digest is None:
            reasons["model_digest"] = str(Reason.NOT_REPORTED)
        pid = self.pid()
        if pid is None:
            reasons["pid"] = str(Reason.NOT_APPLICABLE)
        frames = {} if options.frames is None else {"frames": options.frames}
        return manifest.Engine(
            kind="diffusers",
            version=loaded.ready.version,
            model=published_name(str(options.folder.resolve()) if options.folder else options.pipeline),
            model_digest=loaded.digest,
            quantization=loaded.ready.dtype,
            flags={
                **loaded.ready.flags,
                "media": options.medium,
                "media_kind": options.kind,
                "max_batch": options.batch,
                "denoising_steps": options.steps,
                "height": options.height,
                "width": options.width,
                **frames,
            },
            prefix_cache=False,  # there is none: a prompt is encoded anew each time
            pid=pid,
            local=True,
            reasons=reasons,
        )

    def _require_loaded(self) -> _Loaded:
        if self._loaded is None:
            raise RuntimeError("the pipeline has not been loaded: call start first")
        return self._loaded

    def _start_error(self, why: str) -> InputError:
        assert self._child is not None
        self._child.kill()
        log_path = self._child.log_path
        tail = log_tail(log_path)
        self._child = None
        self._logs.close(keep=True)
        missing = "No module named" in tail
        return InputError(
            f"the pipeline {self._options.pipeline} cannot be loaded",
            why=f"{why}; the end of its log ({log_path}):\n{tail}",
            fix=INSTALL if missing else "give a folder with a model_index.json, or a repository of the hub",
        )


@dataclass(frozen=True, slots=True)
class _Loaded:
    ready: Ready
    endpoint: Endpoint
    digest: str | None


def folder_digest(folder: Path) -> str:
    """Return the digest of a folder: of the names of its files with the SHA-256 of each. Raises `InputError`.

    Hidden files (a downloader's notes) are no part of the model.
    """
    lines = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            lines.append(f"{remembered_sha256(path)}  {name.as_posix()}")
    listed = "\n".join(lines).encode()
    return f"sha256:{hashlib.sha256(listed).hexdigest()}"
