"""Find every source of this machine, say what is missing and how to mend it, and open a source.

Finding is cheap: nothing is measured, drivers are asked only for what they have. A module of a meter is
imported when that meter is looked for or opened, and not before.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from joulemark.meters.address import MeterAddress
from joulemark.meters.configured import configured_meters, malformed
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.process import find_process
from joulemark.meters.source import Finding, Source, SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError
from joulemark.record.replayed import REPLAY

AUTO, NONE = "auto", "none"

# Kinds that find their devices on this machine, in the order in which they are believed where two show the
# same device; each module has `find_KIND()`.
LOCAL = {
    "nvml": "joulemark.meters.nvml",
    "rapl": "joulemark.meters.rapl",
    "zeus": "joulemark.meters.zeus_backed",
    "hwmon": "joulemark.meters.hwmon",
}
# Kinds that have to be told where the meter is; each module has `find_KIND(address)`.
ADDRESSED = {
    REPLAY: "joulemark.meters.replay",
    "analyzer": "joulemark.meters.analyzer",
    "dcgm": "joulemark.meters.prometheus.dcgm_finding",
    "prometheus": "joulemark.meters.prometheus.finding",
    "shelly": "joulemark.meters.plugs.shelly",
    "tasmota": "joulemark.meters.plugs.tasmota",
    "homeassistant": "joulemark.meters.plugs.homeassistant",
}
# Each module has `open_KIND(spec, clock)`.
_OPENERS = {
    **LOCAL,
    **ADDRESSED,
    "rapl_perf": "joulemark.meters.rapl",
    "dcgm": "joulemark.meters.prometheus.dcgm",
    "prometheus": "joulemark.meters.prometheus.metric",
    "process": "joulemark.meters.process",
    "machine": "joulemark.meters.machine_load",
    "engine_gauges": "joulemark.meters.engine_gauges",
}


def discover(meters: Sequence[str] = (AUTO,), *, engine_pid: int | None = None) -> list[Finding]:
    """Return what there is of each wanted kind, and for each missing source why and the exact fix.

    ``meters`` holds ``auto`` (all local kinds and the meters that the user keeps on file), a local kind,
    ``KIND:ADDRESS`` for a meter that has to be told where it is, or ``none`` (no meter at all). The process
    tree of ``engine_pid`` is found whenever it is given: it is no energy meter. Of two sources that show the
    same device one is left out, and says so. Raises `InputError` for an unknown kind, a malformed address and
    a trace that cannot be read.
    """
    findings: list[Finding] = []
    for meter in wanted_meters(meters):
        address = MeterAddress.parse(meter)
        if address.kind in LOCAL and not address.address:
            findings.extend(_function(LOCAL, address.kind, "find")())
        else:
            found = _function(ADDRESSED, address.kind, "find")(address)
            findings.extend(replace(finding, meter=meter) for finding in found)
    findings = without_duplicates(_named_apart(findings))
    if engine_pid is not None:
        findings.append(find_process(engine_pid))
    return findings


def wanted_meters(meters: Sequence[str]) -> list[str]:
    """Return the single meters that ``meters`` stands for, in order, each once; raises `InputError`."""
    wanted: list[str] = []
    for meter in meters:
        if meter == AUTO:
            wanted.extend((*LOCAL, *_kept_meters()))
        elif _is_single(meter):
            wanted.append(meter)
        elif meter != NONE:
            raise _unknown(meter)
    if NONE in meters and wanted:
        raise InputError(
            "the meters contradict each other", why=f"{NONE!r} stands beside others", fix="drop one"
        )
    return list(dict.fromkeys(wanted))


def _is_single(meter: str) -> bool:
    """Tell whether the text names one meter, or the meters of one local kind."""
    kind, _, address = meter.partition(":")
    return meter in LOCAL or (kind in ADDRESSED and bool(address))


def _unknown(meter: str) -> InputError:
    """Return the error about a text that names no meter."""
    kind, _, address = meter.partition(":")
    named = ", ".join(f"{name}:ADDRESS" for name in ADDRESSED)
    fix = f"use {', '.join((AUTO, *LOCAL, NONE))}, {named}"
    if kind in ADDRESSED:
        why = f"a meter of kind {kind} needs an address"
    elif kind in (AUTO, *LOCAL, NONE):
        why, fix = f"{kind!r} takes no address", f"use {kind}"
    else:
        why = "its kind is not known"
        if near := _near(kind, address):
            fix = f"did you mean {near!r}? Otherwise {fix}"
    return InputError(f"there is no meter {meter!r}", why=why, fix=fix)


def _near(kind: str, address: str) -> str | None:
    """Return the meter that somebody may have meant who misspelled its kind; null where none is alike."""
    kinds = ADDRESSED if address else (AUTO, *LOCAL, NONE, *ADDRESSED)
    alike = difflib.get_close_matches(kind.lower(), kinds, n=1)
    if not alike:
        return None
    return f"{alike[0]}:{address or 'ADDRESS'}" if alike[0] in ADDRESSED else alike[0]


def _kept_meters() -> list[str]:
    """Return the meters on file; raises `InputError` where one of them names none."""
    kept = configured_meters()
    for meter in kept:
        if not _is_single(meter):
            like = _near(*meter.partition(":")[::2]) or "shelly:192.168.1.20"
            raise malformed(f"{meter[:60]!r} is no meter with an address, like {like[:60]!r}")
    return kept


def open_source(spec: SourceSpec, clock: Clock | None = None) -> Source:
    """Open the source that ``spec`` describes, in any process.

    ``clock`` stamps the readings and drives a replayed trace (null: the machine's). Raises `SourceLost`
    where the source is not there and `InputError` for a trace that cannot be read.
    """
    if spec.kind not in _OPENERS:
        raise SourceLost(f"no source of kind {spec.kind!r} is known")
    return cast(Source, _function(_OPENERS, spec.kind, "open")(spec, clock))


def _function(modules: dict[str, str], kind: str, verb: str) -> Callable[..., Any]:
    return cast("Callable[..., Any]", getattr(import_module(modules[kind]), f"{verb}_{kind}"))


def _named_apart(findings: Sequence[Finding]) -> list[Finding]:
    """Number the sources that would have the same name: two plugs of one kind."""
    taken: dict[str, int] = {}
    named: list[Finding] = []
    for finding in findings:
        taken[finding.name] = number = taken.get(finding.name, 0) + 1
        if number > 1 and finding.info is not None and finding.spec is not None:
            name = f"{finding.name}:{number}"
            spec = replace(finding.spec, args={**finding.spec.args, "name": name})
            finding = replace(finding, name=name, info=replace(finding.info, name=name), spec=spec)
        named.append(finding)
    return named
