"""The machine's sources of energy on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from joulemark.meters.configured import forget_command
from joulemark.record.meter import Qualification, Trust
from joulemark.report.wording import decimals, number, printable
from joulemark.runs.diagnosis import Diagnosis, is_simulated

_MARKS = {Trust.QUALIFIED: ("✓", "green"), Trust.SUSPECT: ("?", "yellow"), Trust.ABSENT: ("✗", "red")}


def print_diagnosis(diagnosis: Diagnosis, console: Console) -> None:
    """Print each source with what it measures and its test, or with why it is missing and how to get it."""
    host = diagnosis.host
    machine = f"{host.os} {host.kernel or ''} · {host.cpu_model or 'unknown processor'}"
    console.print(printable(machine), markup=False)
    if host.virtualization not in (None, "none"):
        console.print(f"running in: {printable(host.virtualization)}", markup=False)
    for finding, test in diagnosis.sources:
        missing = finding.spec is None
        mark, style = ("✗", "red") if missing else ("·", "dim") if test is None else _MARKS[test.trust]
        name = Text(f"\n{mark} {printable(finding.name)}", style=style)
        made = Text("SIMULATED: ", style="bold") if is_simulated(finding) else Text()
        console.print(name, made + Text(printable(finding.measures)))
        told = [] if test is None else [("", _words(test))]
        told += [("note: ", note) for note in (finding.info.notes if finding.info else ())]
        told.append(("why: ", finding.why))
        for label, text in told:
            if text:
                console.print(f"    {label}{printable(text)}", markup=False)
        if finding.fix:
            console.print(f"    fix: {_lines(finding.fix)}", markup=False)
        if finding.meter in diagnosis.kept:
            console.print(f"    on file: {printable(str(finding.meter))}", markup=False)
    for finding in diagnosis.silent:
        meter = str(finding.meter)
        console.print(
            f"\nThe meter {printable(meter)} is on file and does not answer. If it is gone for good:\n"
            f"    {printable(forget_command(meter), keep_spaces=True)}",
            markup=False,
            soft_wrap=True,
        )
    if not diagnosis.usable:
        console.print(
            "\nNo source of energy: runs on this machine have no joules. Accuracy, latency, tokens and"
            " processor seconds per correct answer are measured all the same."
        )
    if not diagnosis.usable and not diagnosis.silent:
        console.print(
            "A smart plug or a power analyzer can be read: joulemark doctor --meter shelly:ADDRESS"
            " (docs/meters.md has all kinds)."
        )


def _lines(text: str) -> str:
    """Return commands, which may hold what a device calls itself, without what steers a terminal."""
    return "\n".join(printable(line, keep_spaces=True) for line in text.split("\n"))


def _words(test: Qualification) -> str:
    parts = [f"{test.trust.value}" + (f" ({test.reason})" if test.reason else "")]
    if test.update_period_s is not None:
        longest = test.update_period_max_s or test.update_period_s
        parts.append(f"updates every {_time(test.update_period_s)}, at most {_time(longest)}")
    if test.counter_over_power is not None:
        parts.append(f"counter / power {test.counter_over_power:.3f}")
    if test.mean_power_w is not None:
        parts.append(f"{_digits(test.mean_power_w)} W now")
    return "; ".join(parts)


def _time(seconds: float) -> str:
    return f"{_digits(seconds * 1e3)} ms" if seconds < 0.9995 else f"{_digits(seconds)} s"


def _digits(value: float) -> str:
    """Return a number with three digits, thousands in full."""
    return number(value, max(decimals(value) - 1, 0))
