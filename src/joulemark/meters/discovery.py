"""Find every source of this machine, say what is missing and how to mend it, and open a source.

Finding is cheap: nothing is measured, drivers are asked only for what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from joulemark.meters.process import find_process
from joulemark.meters.source import Finding, Source, SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError

AUTO, NONE, REPLAY_PREFIX = "auto", "none", "replay:"


def discover(meters: Sequence[str] = (AUTO,), *, engine_pid: int | None = None) -> list[Finding]:
    """Return what there is of each wanted kind, and for each missing source why and the exact fix.

    ``meters`` holds ``auto`` (nvml and rapl), ``nvml``, ``rapl``, ``replay:FILE`` or ``none`` (no meter at
    all). The process tree of ``engine_pid`` is found whenever it is given: it is no energy meter. Raises
    `InputError` for an unknown kind and for a trace that cannot be read.
    """
    findings: list[Finding] = []
    for kind in _wanted(meters):
        if kind.startswith(REPLAY_PREFIX):
            from joulemark.meters.replay import find_replay

            findings.append(find_replay(Path(kind.removeprefix(REPLAY_PREFIX))))
        else:
            findings.extend(_finders()[kind]())
    if engine_pid is not None:
        findings.append(find_process(engine_pid))
    return findings


def _wanted(meters: Sequence[str]) -> list[str]:
    known = tuple(_finders())
    wanted: list[str] = []
    for meter in meters:
        if meter == AUTO:
            wanted.extend(known)
        elif meter in known or (meter.startswith(REPLAY_PREFIX) and meter != REPLAY_PREFIX):
            wanted.append(meter)
        elif meter != NONE:
            fix = f"use {', '.join((AUTO, *known, NONE))} or {REPLAY_PREFIX}FILE"
            raise InputError(f"there is no meter {meter!r}", why="its kind is not known", fix=fix)
    if NONE in meters and wanted:
        raise InputError(
            "the meters contradict each other", why=f"{NONE!r} stands beside others", fix="drop one"
        )
    return list(dict.fromkeys(wanted))


def _finders() -> dict[str, Callable[[], list[Finding]]]:
    from joulemark.meters.nvml_finding import find_nvml
    from joulemark.meters.rapl_finding import find_rapl

    return {"nvml": find_nvml, "rapl": find_rapl}


def open_source(spec: SourceSpec, clock: Clock | None = None) -> Source:
    """Open the source that ``spec`` describes, in any process.

    ``clock`` stamps the readings and drives a replayed trace (null: the machine's). Raises `SourceLost`
    where the source is not there and `InputError` for a trace that cannot be read.
    """
    if spec.kind == "nvml":
        from joulemark.meters.nvml import NvmlSource

        return NvmlSource(str(spec.args["uuid"]), clock)
    if spec.kind == "rapl":
        from joulemark.meters.rapl import open_rapl

        return open_rapl(spec, clock)
    if spec.kind == "replay":
        from joulemark.meters.replay import open_replay

        return open_replay(spec, clock)
    if spec.kind == "process":
        from joulemark.meters.process import open_process

        return open_process(spec)
    if spec.kind == "machine":
        from joulemark.meters.machine_load import MachineLoad

        return MachineLoad()
    raise SourceLost(f"no source of kind {spec.kind!r} is known")
