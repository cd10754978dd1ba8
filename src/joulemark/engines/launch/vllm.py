"""How vLLM is started (flags: ``vllm serve --help``, 0.12 and later).

Prefill and decode apart: the roles by ``--kv-transfer-config``, its connector NIXL; the proxy before them is
no part of vLLM, so it is the user's to name.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from joulemark.engines.launch.command import HOST, Command, Ports, Role, on_devices
from joulemark.engines.launch.devices import server_devices, split_devices
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings, flag_arguments

_VALUES = {
    "max_batch": "max-num-seqs",
    "max_batched_tokens": "max-num-batched-tokens",
    "tensor_parallel": "tensor-parallel-size",
    "pipeline_parallel": "pipeline-parallel-size",
    "quantization": "quantization",
    "n_ctx": "max-model-len",
}
_TAKEN = {
    **{flag: name for name, flag in _VALUES.items()},
    "enable-prefix-caching": "prefix_cache",
    "no-enable-prefix-caching": "prefix_cache",
    "kv-transfer-config": "prefill_instances",
    "model": "model",
    "host": "the sweep",
    "port": "the sweep",
}
_CONNECTOR = "NixlConnector"
_ROLES: dict[Role, str] = {"prefill": "kv_producer", "decode": "kv_consumer"}
_SIDE_CHANNEL = "VLLM_NIXL_SIDE_CHANNEL_PORT"


class Vllm:
    """The command lines of vLLM."""

    kind = "vllm"
    program = ("vllm", "serve")

    def commands(
        self,
        settings: LaunchSettings,
        program: Sequence[str],
        ports: Ports,
        router: Sequence[str] | None = None,
    ) -> tuple[Command, ...]:
        """Return one server, or the servers of both roles and their proxy."""
        if settings.model is None:
            raise CannotLaunch("vLLM serves the model that it is started with", fix="give --model NAME")
        if settings.preemption == "swap":
            raise CannotLaunch(
                "vLLM does not swap requests out",
                why="its engine V1 computes a preempted request anew, and has no flag for it",
            )
        if not settings.is_split:
            return (_server(settings, program, ports(), "server", server_devices(settings)),)
        if router is None:
            raise CannotLaunch(
                "vLLM starts prefill and decode servers, and no proxy before them",
                why="a proxy that hands requests from one to the other is not among its commands",
                fix="--router-command 'CMD --port {port} --prefill {prefill} --decode {decode}'",
            )
        servers = []
        for number, devices in enumerate(split_devices(settings)):
            role: Role = "prefill" if number < (settings.prefill_instances or 0) else "decode"
            servers.append(_server(settings, program, ports(), role, devices, ports()))
        return (*servers, _proxy(router, servers, ports()))


def _server(
    settings: LaunchSettings,
    program: Sequence[str],
    port: int,
    role: Role,
    devices: Sequence[str],
    side_port: int | None = None,
) -> Command:
    argv = [*program, str(settings.model), "--host", HOST, "--port", str(port)]
    for name, flag in _VALUES.items():
        value = getattr(settings, name)
        if value is not None:
            argv += [f"--{flag}", str(value)]
    if settings.prefix_cache is not None:
        argv.append("--enable-prefix-caching" if settings.prefix_cache else "--no-enable-prefix-caching")
    env = on_devices(devices)
    if role in _ROLES:
        config = {"kv_connector": _CONNECTOR, "kv_role": _ROLES[role]}
        argv += ["--kv-transfer-config", orjson.dumps(config).decode()]
        env[_SIDE_CHANNEL] = str(side_port)
    argv += flag_arguments(settings.flags, _TAKEN)
    return Command(tuple(argv), port, role, env, tuple(devices))


def _proxy(router: Sequence[str], servers: Sequence[Command], port: int) -> Command:
    """Fill the user's words in: a word that is ``{prefill}`` or ``{decode}`` becomes one URL or several."""
    urls = {
        f"{{{role}}}": [f"http://{HOST}:{one.port}" for one in servers if one.role == role] for role in _ROLES
    }
    argv = [part for word in router for part in urls.get(word, [word.replace("{port}", str(port))])]
    return Command(tuple(argv), port, "router")
