"""The child process of the embedded engine: llama.cpp's own server, and nothing else.

Run as ``python -m joulemark.engines.embedded_server``. The first line of standard input is a `Settings` as
JSON; the one line written to standard output is a `Ready` as JSON. Everything that llama.cpp prints goes to
standard error. The process ends when standard input ends, so that it never outlives its parent.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass

import orjson

_LAST_LINES_S = 0.5  # llama.cpp writes its log from a thread of its own, and the reason stands in it
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@dataclass(frozen=True, slots=True)
class Settings:
    """What the parent asks for. ``n_ctx`` is the context of one slot; ``api_key`` guards the port."""

    parent_pid: int
    model_path: str
    model_alias: str
    threads: int
    n_ctx: int
    n_parallel: int
    api_key: str


@dataclass(frozen=True, slots=True)
class Ready:
    """What the child says once it listens. ``build`` is llama.cpp's own name of its build."""

    address: str
    xllamacpp: str
    build: str
    devices: str
    top_k: int
    min_p: float

    @property
    def known_build(self) -> str | None:
        """llama.cpp's build, null where the package was made without saying (``b0-unknown``)."""
        return None if self.build == "b0-unknown" else self.build


def die_with_parent(parent_pid: int) -> None:
    """End this process when the parent ends, however it ends (``kill -9`` included)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:  # it died before we asked
        os._exit(1)

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os._exit(0)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def serve(settings: Settings) -> tuple[object, Ready]:
    """Load the model and listen on a free port of 127.0.0.1; return the live server and its `Ready`.

    Prompt caching is off, in memory and between slots, so that no request is cheaper for having come second.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings.model_path
    params.model_alias = {settings.model_alias}
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.n_parallel = settings.n_parallel
    params.n_ctx = settings.n_ctx * settings.n_parallel  # llama.cpp divides it between the slots
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.n_ctx_checkpoints = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cors_origins = ""
    params.api_keys = [settings.api_key]
    params.endpoint_metrics = True  # what it says of its batch, read during a run under load
    params.ui = False
    params.offline = True
    server = xllamacpp.Server(params)
    info = xllamacpp.BUILD_INFO
    return server, Ready(
        address=server.listening_address,
        xllamacpp=xllamacpp.__version__,
        build=f"b{info['build_number']}-{info['commit']}",
        devices=", ".join(str(device["name"]) for device in xllamacpp.get_device_info()),
        top_k=params.sampling.top_k,
        min_p=round(params.sampling.min_p, 6),
    )


def take_stdout() -> int:
    """Keep the pipe to the parent for ourselves; whatever native code prints goes to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return pipe


def first_line() -> bytes:
    """Read one line byte by byte, so that nothing is buffered away from the watching thread."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            os._exit(1)
        line += byte
    return line


def main() -> None:
    """Serve until the parent closes our standard input."""
    pipe = take_stdout()
    settings = Settings(**orjson.loads(first_line()))
    die_with_parent(settings.parent_pid)
    try:
        server, ready = serve(settings)
    except RuntimeError as error:  # llama.cpp has said more in the lines above
        print(f"llama.cpp: {error}", file=sys.stderr, flush=True)  # noqa: T201 - standard error is our log
        time.sleep(_LAST_LINES_S)
        os._exit(1)
    os.write(pipe, orjson.dumps(asdict(ready)) + b"\n")
    os.close(pipe)
    threading.Event().wait()
    del server  # lives until here: dropping it would end the service


if __name__ == "__main__":
    main()
