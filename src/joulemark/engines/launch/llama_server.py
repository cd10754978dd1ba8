"""How llama.cpp's own server is started (flags: ``llama-server --help``).

Its context is that of all slots together, so it is the context of one request times their number.
"""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.engines.launch.command import HOST, Command, Ports, on_devices
from joulemark.engines.launch.devices import server_devices
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings, flag_arguments

_TAKEN = {
    "model": "model",
    "hf-repo": "model",
    "parallel": "max_batch",
    "ctx-size": "n_ctx",
    "batch-size": "max_batched_tokens",
    "split-mode": "tensor_parallel",
    "cache-prompt": "prefix_cache",
    "no-cache-prompt": "prefix_cache",
    "metrics": "the sweep",
    "host": "the sweep",
    "port": "the sweep",
}


class LlamaServer:
    """The command line of ``llama-server``."""

    kind = "llama-server"
    program = ("llama-server",)

    def commands(
        self,
        settings: LaunchSettings,
        program: Sequence[str],
        ports: Ports,
        router: Sequence[str] | None = None,
    ) -> tuple[Command, ...]:
        """Return its one server."""
        model = settings.model
        if model is None:
            raise CannotLaunch(
                "llama-server serves the model that it is started with",
                fix="give --model FILE.gguf, or a repository of the hub (org/name-GGUF:Q4_K_M)",
            )
        _refuse(settings)
        port, devices = ports(), server_devices(settings)
        argv = [*program, "--model" if model.endswith(".gguf") else "--hf-repo", model]
        argv += ["--host", HOST, "--port", str(port)]
        if settings.max_batch is not None:
            argv += ["--parallel", str(settings.max_batch)]
        if settings.n_ctx is not None:
            argv += ["--ctx-size", str(settings.n_ctx * (settings.max_batch or 1))]
        if settings.max_batched_tokens is not None:
            argv += ["--batch-size", str(settings.max_batched_tokens)]
        if (settings.tensor_parallel or 1) > 1:
            argv += ["--split-mode", "row"]
        elif settings.tensor_parallel == 1 and settings.pipeline_parallel in (None, 1):
            argv += ["--split-mode", "none"]
        elif (settings.pipeline_parallel or 1) > 1:
            argv += ["--split-mode", "layer"]
        if settings.prefix_cache is not None:
            argv.append("--cache-prompt" if settings.prefix_cache else "--no-cache-prompt")
        argv.append("--metrics")
        argv += flag_arguments(settings.flags, _TAKEN)
        return (Command(tuple(argv), port, "server", on_devices(devices), devices),)


def _refuse(settings: LaunchSettings) -> None:
    """Raise `CannotLaunch` for what it has no flag for."""
    if settings.is_split:
        raise CannotLaunch("llama-server does not split prefill and decode between servers")
    if settings.preemption is not None:
        raise CannotLaunch(
            "llama-server preempts no request", why="each slot has its part of the context from the start"
        )
    if settings.quantization is not None:
        raise CannotLaunch(
            "llama-server runs a model as its file is quantized",
            fix="name another file with model, for instance model = ['q4.gguf', 'q8.gguf']",
        )
    if (settings.tensor_parallel or 1) > 1 and (settings.pipeline_parallel or 1) > 1:
        raise CannotLaunch("llama-server splits a model by rows or by layers, not by both")
    if settings.n_ctx is not None and settings.max_batch is None:
        raise CannotLaunch(
            "llama-server shares its context out among its slots",
            why="n_ctx is that of one request, and how many slots there are was not said",
            fix="give max_batch too",
        )
    each = settings.devices_each
    if each > 1 and not settings.devices:
        raise CannotLaunch(
            f"llama-server spreads a model over all devices that it sees, not over {each}",
            why="which ones it is to see was not said",
            fix="name them by the axis gpu",
        )
