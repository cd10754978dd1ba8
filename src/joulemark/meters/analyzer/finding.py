"""What discovery says of an analyzer that the user names. Nothing is left changed on it."""

from __future__ import annotations

from joulemark.meters.address import MeterAddress
from joulemark.meters.analyzer import yokogawa
from joulemark.meters.analyzer.facts import KIND, describe_other, describe_wt
from joulemark.meters.analyzer.link import LOST, NOT_INSTALLED, REFUSED, TIMEOUT, UNREACHABLE, LinkLost, greet
from joulemark.meters.analyzer.options import AnalyzerOptions
from joulemark.meters.analyzer.scpi import number
from joulemark.meters.source import Finding
from joulemark.record.meter import SourceInfo

_MEASURES = "active power and its integral, by an analyzer"
_LET_GO = "close other programs that hold the instrument (it serves one at a time), and ask it: "
_WHY = {
    NOT_INSTALLED: "the Python package pyvisa is not installed",
    REFUSED: "nothing answers at this address, or another program holds the instrument",
    TIMEOUT: "it takes the connection and does not answer",
    LOST: "the connection broke while it was asked who it is",
    UNREACHABLE: "it cannot be opened",
}


def find_analyzer(address: MeterAddress) -> list[Finding]:
    """Ask the instrument who it is and how it stands, and let it go again.

    Raises `InputError` for a malformed resource name or option.
    """
    options = AnalyzerOptions.of_address(address)
    try:
        info = _ask(options)
    except LinkLost as error:
        return [_missing(str(error), error.detail)]
    if info is None:
        why = "it is no Yokogawa WT, and how to read it was not said"
        fix = "--meter 'analyzer:RESOURCE?power_query=:MEAS:POW?&energy_query=:MEAS:ENER?&unit=Wh'"
        return [Finding(KIND, KIND, _MEASURES, why=why, fix=fix)]
    integral = "its integral and " if "energy_j" in info.quantities else ""
    measures = f"{info.device_name or 'an analyzer'}: {integral}the active power at {info.scope}"
    return [Finding(KIND, info.name, measures, spec=options.spec(), info=info)]


def _ask(options: AnalyzerOptions) -> SourceInfo | None:
    link, identity = greet(options.resource, options.timeout_ms)
    try:
        if options.has_queries:
            energy = number(link.query(options.energy_query)) if options.energy_query else 0.0
            return describe_other(identity, options, energy)
        if not yokogawa.is_wt(identity):
            return None
        setup = yokogawa.look(link, identity)
        before = yokogawa.arrange(link, options.element)
        try:
            values = yokogawa.read_values(link, options.element, with_ranges=setup.auto_range)
        finally:
            yokogawa.put_back(link, before)
        return describe_wt(setup, options, values)
    finally:
        link.close()


def _missing(reason: str, detail: str) -> Finding:
    why = _WHY.get(reason, reason.replace("_", " "))
    if reason == NOT_INSTALLED:
        fix = "pip install 'joulemark[visa]'"
    else:
        fix = _LET_GO + "pyvisa-shell, then: list; open RESOURCE; query *IDN?"
        why = f"{why} ({detail})" if detail and reason == UNREACHABLE else why
    return Finding(KIND, KIND, _MEASURES, why=why, fix=fix)
