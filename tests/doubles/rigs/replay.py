"""A recorded trace of each fault, played back."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doubles.faults import Fault, NowS, Truth
from doubles.powercap import RANGE_UJ
from joulemark.meters.address import REPLAY, MeterAddress
from joulemark.meters.replay import find_replay
from joulemark.meters.source import Finding, SourceSpec

from . import Rigged, rig
from .rapl import counter_j

_SCOPE = "wall/psu/gpu:0"
_PERIOD_S, _TAIL_S = 0.1, 60.0


@rig("replay", has_counter=True, has_gauge=True)
@contextlib.contextmanager
def trace(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """The trace of a board's counter and gauge; its rows lie on virtual time."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trace.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in _lines(fault, truth)))

        def findings() -> list[Finding]:
            found = find_replay(MeterAddress(REPLAY, str(path)))
            if fault is Fault.DUPLICATE_SCOPE:
                found += [replace(found[0], name=f"{found[0].name}:2")]
            return [replace(finding, spec=_from_zero(finding.spec)) for finding in found]

        yield Rigged(findings)


def _from_zero(spec: SourceSpec | None) -> SourceSpec:
    assert spec is not None
    return SourceSpec(spec.kind, {**spec.args, "start_ns": 0})


def _lines(fault: Fault, truth: Truth) -> Iterator[dict[str, object]]:
    facts: dict[str, object] = {"scope": _SCOPE, "power_window_s": 0.0, "power_max_w": 4 * truth.power_w}
    if fault is Fault.WRAP:
        facts["counter_modulus_j"] = RANGE_UJ * 1e-6
    yield {"info": facts}
    rows = round((truth.t1_s + _TAIL_S) / _PERIOD_S)
    for row in range(rows):
        t_s = row * _PERIOD_S
        line: dict[str, object] = {"t_ns": round(t_s * 1e9), "values": _values(fault, truth, t_s)}
        past_s = t_s - truth.middle_s
        if fault is Fault.SHORT_GAP and 0 <= past_s < truth.gap_s:
            line["fault"] = "gap"
        if fault is Fault.STALE and past_s >= 0:
            line |= {"values": {}, "flags": ["energy_j:stale", "power_w:stale"]}
        if fault is Fault.LOST and past_s >= 0:
            line["fault"] = "lost"
        yield line


def _values(fault: Fault, truth: Truth, t_s: float) -> dict[str, float]:
    if fault is Fault.NOT_SUPPORTED:
        return {"temperature_c": 50.0}
    energy_j = counter_j(fault, truth, t_s)
    if fault is Fault.WRAP:
        energy_j %= RANGE_UJ * 1e-6
    return {"energy_j": energy_j, "power_w": truth.power_w}
