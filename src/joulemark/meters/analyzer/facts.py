"""An analyzer as facts of a source: its step, its ranges, its stated accuracy, and what is peculiar. Pure."""

from __future__ import annotations

import math

from joulemark.meters.analyzer.accuracy import statement_of, uncertainty_pct
from joulemark.meters.analyzer.options import UNITS_J, AnalyzerOptions
from joulemark.meters.analyzer.scpi import J_PER_WH, largest_step_wh
from joulemark.meters.analyzer.yokogawa import DIGITS, RUNNING, Setup, Values
from joulemark.meters.notes import note
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope

KIND = "analyzer"
_RATES_OF_AGE = 2.0  # a value covers one interval and is shown during the next
_FASTEST_READ_S = 0.1
_OVER_RANGE = 1.4  # a WT300 measures up to 140 % of a range (IM WT310E-02EN, 1.5)
_OTHER_AGE_S = 1.0


def describe_wt(setup: Setup, options: AnalyzerOptions, values: Values) -> SourceInfo:
    """Return the facts of a WT. ``values`` are those of the moment."""
    counts = options.integrate == "start" or setup.state == RUNNING
    error_pct, accuracy = _accuracy(setup, options, values)
    notes = [*_set_up_notes(setup), accuracy, *_integration_notes(setup, options, counts)]
    range_va = setup.power_range_va
    fixed = range_va is not None and not setup.auto_range and options.element.isdigit()
    return SourceInfo(
        name=options.name,
        kind=KIND,
        scope=Scope(options.scope),
        quantities=("energy_j", "power_w") if counts else ("power_w",),
        counter_quantum_j=quantum_j(limit_wh(options, values.energy_wh), DIGITS) if counts else 0.0,
        power_window_s=setup.rate_s,
        power_max_w=options.power_max_w or (_OVER_RANGE * range_va if fixed and range_va else None),
        is_register=True,
        value_age_s=_RATES_OF_AGE * setup.rate_s,
        read_period_s=max(_FASTEST_READ_S, setup.rate_s),
        uncertainty_pct=error_pct,
        device_id=f"{setup.model}:{setup.serial}/{options.element}",
        device_name=f"Yokogawa {setup.model}",
        notes=tuple(notes),
    )


def describe_other(identity: str, options: AnalyzerOptions, energy: float | str) -> SourceInfo:
    """Return the facts of an analyzer that is read with the user's own queries."""
    maker, model, serial, *_ = (*(field.strip() for field in identity.split(",")), "", "", "")
    energy_wh = energy * UNITS_J[options.unit] / J_PER_WH if isinstance(energy, float) else energy
    limit = limit_wh(options, energy_wh)
    quantities = [("energy_j", options.energy_query), ("power_w", options.power_query)]
    return SourceInfo(
        name=options.name,
        kind=KIND,
        scope=Scope(options.scope),
        quantities=tuple(name for name, query in quantities if query),
        counter_quantum_j=quantum_j(limit, options.digits) if options.energy_query else 0.0,
        power_window_s=_OTHER_AGE_S if options.power_query else None,
        power_max_w=options.power_max_w or None,
        is_register=bool(options.energy_query),
        value_age_s=_OTHER_AGE_S,
        read_period_s=2 * _FASTEST_READ_S,
        device_id=f"{model}:{serial}/{options.energy_query or options.power_query}" if serial else None,
        device_name=f"{maker} {model}".strip() or None,
        notes=(
            note("queries", f"read with the user's own queries, energy in {options.unit}"),
            note("accuracy", "the accuracy of this model is not known here"),
        ),
    )


def limit_wh(options: AnalyzerOptions, energy_wh: float | str) -> float:
    """Return the value (Wh) below which the step is stated: the user's, or at least ten times the present."""
    limit = 1000.0 * options.until_kwh
    if isinstance(energy_wh, float) and energy_wh >= limit:
        limit = 10.0 ** (math.floor(math.log10(energy_wh)) + 2)
    return limit


def quantum_j(limit: float, digits: int) -> float:
    """Return the largest step (J) of a register of ``digits`` digits below ``limit`` (Wh)."""
    return largest_step_wh(limit, digits) * J_PER_WH


def _accuracy(setup: Setup, options: AnalyzerOptions, values: Values) -> tuple[float | None, str]:
    statement, range_va = statement_of(setup.model), setup.power_range_va
    p, u, i = values.power_w, values.volts, values.amperes
    if statement is None or range_va is None:
        return None, note("accuracy", f"the accuracy of a {setup.model} is not known here")
    if not options.element.isdigit():
        return None, note("accuracy", "it is stated for an element, not for the sum of several")
    if not (isinstance(p, float) and isinstance(u, float) and isinstance(i, float)):
        return None, note("accuracy", "no reading to state it for")
    error_pct = uncertainty_pct(
        statement, power_w=p, apparent_va=u * i, range_va=range_va, crest_factor=setup.crest_factor or "3"
    )
    if error_pct is None:
        return None, note("accuracy", "nothing was drawn to state it for")
    return error_pct, note(
        "accuracy",
        f"{statement.reading_pct} % of reading + {statement.range_pct} % of range (45-66 Hz, 12 months): "
        f"{error_pct:.2f} % at the {p:.4g} W read when it was opened",
    )


def _set_up_notes(setup: Setup) -> list[str]:
    notes = []
    if setup.volts is not None and setup.amperes is not None:
        automatic = "automatic" if setup.auto_range else "fixed"
        rate = "automatic" if setup.rate_is_auto else f"{setup.rate_s:g} s"
        text = f"{setup.volts:g} V and {setup.amperes:g} A ({automatic}), crest factor {setup.crest_factor}"
        notes.append(note("ranges", f"{text}, wiring {setup.wiring}, values renewed every {rate}"))
    if setup.auto_range:
        text = "nothing is measured while a range changes; the meter fills that in with the next value"
        notes.append(note("auto_range", text))
    if setup.scaled:
        notes.append(note("scaled", "the instrument multiplies by its own VT, CT or scaling factor"))
    return notes


def _integration_notes(setup: Setup, options: AnalyzerOptions, counts: bool) -> list[str]:
    if not counts:
        return [
            note("integration", f"it is halted ({setup.state.lower()}) and not to be started: power only")
        ]
    notes = []
    if setup.state == RUNNING:
        notes.append(note("integration", "it ran already and is left as it is"))
    else:
        notes.append(note("integration", "started for measuring, halted at the end, never reset to zero"))
    if setup.timer:
        ending = "begins anew" if setup.integration_mode.startswith("CONT") else "ends"
        notes.append(
            note("timer", f"the integration {ending} after the instrument's own timer, {setup.timer}")
        )
    return notes
