"""How SGLang is started (flags: ``python -m sglang.launch_server --help``, 0.5 and later).

A request for which there is no memory is retracted and computed anew; nothing is swapped. Prefill and decode
apart: ``--disaggregation-mode`` and the router of the package ``sglang-router``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from joulemark.engines.launch.command import HOST, Command, Ports, Role, on_devices
from joulemark.engines.launch.devices import server_devices, split_devices
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings, flag_arguments

_VALUES = {
    "max_batch": "max-running-requests",
    "max_batched_tokens": "chunked-prefill-size",
    "tensor_parallel": "tp-size",
    "pipeline_parallel": "pp-size",
    "quantization": "quantization",
    "n_ctx": "context-length",
}
_TAKEN = {
    **{flag: name for name, flag in _VALUES.items()},
    "tp": "tensor_parallel",
    "tensor-parallel-size": "tensor_parallel",
    "disable-radix-cache": "prefix_cache",
    "disaggregation-mode": "prefill_instances",
    "model": "model",
    "model-path": "model",
    "host": "the sweep",
    "port": "the sweep",
}


class Sglang:
    """The command lines of SGLang."""

    kind = "sglang"
    program = (sys.executable, "-m", "sglang.launch_server")
    router = (sys.executable, "-m", "sglang_router.launch_router")

    def commands(
        self,
        settings: LaunchSettings,
        program: Sequence[str],
        ports: Ports,
        router: Sequence[str] | None = None,
    ) -> tuple[Command, ...]:
        """Return one server, or the servers of both roles and their router."""
        if settings.model is None:
            raise CannotLaunch("SGLang serves the model that it is started with", fix="give --model NAME")
        if settings.preemption == "swap":
            raise CannotLaunch(
                "SGLang does not swap requests out", why="it computes a retracted request anew"
            )
        if not settings.is_split:
            return (_server(settings, program, ports(), "server", server_devices(settings)),)
        servers, bootstraps = [], []
        for number, devices in enumerate(split_devices(settings)):
            if number < (settings.prefill_instances or 0):
                bootstraps.append(ports())
                servers.append(_server(settings, program, ports(), "prefill", devices, bootstraps[-1]))
            else:
                servers.append(_server(settings, program, ports(), "decode", devices))
        port = ports()
        argv = [*(router or self.router), "--pd-disaggregation"]
        prefill = [one for one in servers if one.role == "prefill"]
        for one, bootstrap in zip(prefill, bootstraps, strict=True):
            argv += ["--prefill", f"http://{HOST}:{one.port}", str(bootstrap)]
        for one in servers:
            if one.role == "decode":
                argv += ["--decode", f"http://{HOST}:{one.port}"]
        argv += ["--host", HOST, "--port", str(port)]
        return (*servers, Command(tuple(argv), port, "router"))


def _server(
    settings: LaunchSettings,
    program: Sequence[str],
    port: int,
    role: Role,
    devices: Sequence[str],
    bootstrap: int | None = None,
) -> Command:
    argv = [*program, "--model-path", str(settings.model), "--host", HOST, "--port", str(port)]
    for name, flag in _VALUES.items():
        value = getattr(settings, name)
        if value is not None:
            argv += [f"--{flag}", str(value)]
    if settings.prefix_cache is False:  # on where nothing is said
        argv.append("--disable-radix-cache")
    if role != "server":
        argv += ["--disaggregation-mode", role]
    if bootstrap is not None:
        argv += ["--disaggregation-bootstrap-port", str(bootstrap)]
    argv.append("--enable-metrics")
    argv += flag_arguments(settings.flags, {**_TAKEN, "enable-metrics": "the sweep"})
    return Command(tuple(argv), port, role, on_devices(devices), tuple(devices))
