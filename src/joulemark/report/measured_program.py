"""What a measured program took, on a terminal: which figure is which, with its bound and how sure it is."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.live.program import MeasuredProgram
from joulemark.live.source_energy import SHARED_BOARD, SourceEnergy
from joulemark.live.stretch import Stretch
from joulemark.metrics.attribution import scope_label
from joulemark.metrics.other_load import is_quiet
from joulemark.metrics.value import Value, energy_value
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL_KINDS
from joulemark.record.simulated import is_simulated_board
from joulemark.report.absent import absent_lines
from joulemark.report.at_most import bounded_texts
from joulemark.report.cells import Cell, notes
from joulemark.report.rates import rate_lines
from joulemark.report.three_ways import COUNTER, INTEGRATED, OUTSIDE
from joulemark.report.wording import DASH, METHODS, TIERS, gathered, number, printable, why

_LONGEST_COMMAND = 60


def print_program(program: MeasuredProgram, console: Console) -> None:
    """Print the figures of a program that ended; foreign strings are printed as plain text."""
    command = shlex.join(program.command)
    short = command if len(command) <= _LONGEST_COMMAND else command[: _LONGEST_COMMAND - 1] + "…"
    stretch = program.stretch
    if stretch is None:
        return
    console.print(Text(f"\n{printable(short)}", style="bold"), Text(_ending(program)))
    console.print(_lead(stretch))
    console.print(Padding(_figures(stretch), (1, 0)))
    if stretch.sources:
        console.print(_sources(stretch))
    for line in _notes(stretch):
        console.print(Text(line, style="dim"))


def _ending(program: MeasuredProgram) -> str:
    number_ = program.end.signal
    if number_ is None:
        return f"exit code {program.end.exit_code}"
    try:
        name = signal.Signals(number_).name
    except ValueError:
        name = str(number_)
    return f"ended by signal {name}, exit code {program.end.exit_code}"


def _lead(stretch: Stretch) -> Text:
    """Return the energy of the devices together: which meter, how it came about, its tier."""
    value = energy_value(stretch.total)
    text, bound = bounded_texts("total_joules", value)
    if isinstance(stretch.total, Withheld):
        return Text.assemble(("Energy  ", "bold"), (text, "bold"), f"  {printable(why(value))}")
    energy = stretch.total
    made = "REPLAYED: " if stretch.replayed else "SIMULATED: " if stretch.simulated else ""
    source = f"{made}{energy.source}, {METHODS[energy.method.value]}, scope {scope_label(energy.scopes)}"
    lines = f"\n  {printable(source)}. {_tier(stretch)}."
    return Text.assemble(("Energy  ", "bold"), (text, "bold green"), f"  {bound}".rstrip(), lines)


def _tier(stretch: Stretch) -> str:
    found, reason = stretch.tier
    if found is not None:
        return f"Tier {found}: {TIERS[found]}"
    if stretch.replayed:
        return "No tier: a replayed trace is no measurement of this program"
    if stretch.simulated:
        return "No tier: a simulated board is no measurement of this program"
    if reason is Reason.NOT_APPLICABLE:
        return "No tier: a wall meter alone is not on the ladder of tiers"
    return f"No tier: {reason.text.rstrip('.') if reason else 'unknown'}"


def _figures(stretch: Stretch) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for title, name, value, told in _rows(stretch):
        text, interval = bounded_texts(name, value)
        if value.value is not None:
            table.add_row(title, Text(text), Text(printable(" ".join(filter(None, (interval, told))))))
        elif value.reason not in (Reason.NO_GRID_INTENSITY, Reason.NO_PRICE, Reason.NO_EMBODIED):
            table.add_row(title, DASH, Text(printable(why(value))))
    return table


def _rows(stretch: Stretch) -> Iterator[tuple[str, str, Value, str]]:
    """Yield title, name, figure and what it is, in the order in which they are read."""
    used = stretch.used
    yield "Time", "duration_s", Value(stretch.duration_s, "s"), ""
    yield "Processor time", "cpu_seconds", used.cpu_seconds, "of the program and its descendants"
    memory, seen = used.peak_memory, "resident, as far as it was seen"
    if memory.hi is not None and memory.value is not None:  # no meter's bound
        seen += f"; at most {number(memory.hi, 0)} MiB"
        memory = Value(memory.value, "MiB")
    yield "Peak memory", "peak_memory_mib", memory, seen
    for name, value in used.board_memory.items():
        yield "Board memory", "board_memory_mib", value, f"most seen on {name}, everybody's together"
    yield "Carbon", "gco2e", stretch.gco2e, "of the energy above"
    yield "  embodied", "embodied_gco2e", stretch.embodied_gco2e, "making the machine, its share by time"
    yield "Electricity", "usd", stretch.usd, "for the energy above"
    yield "Other load", "foreign_cpu_share", used.foreign_share, _load(stretch)
    if used.stolen_share.value:
        yield "Stolen", "stolen_cpu_share", used.stolen_share, "of all processors' time, by the hypervisor"


def _load(stretch: Stretch) -> str:
    used = stretch.used
    quiet = is_quiet(used.foreign_share.value, used.stolen_share.value)
    told = "of all processors' time, by other processes"
    return told if quiet else f"{told}: this was no quiet machine, and its joules are in the figures"


def _sources(stretch: Stretch) -> Table:
    """Return what each meter gave, by each of its ways."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("Scope", "Meter", "Figure"):
        table.add_column(title, overflow="fold")
    table.add_column("Energy", justify="right", no_wrap=True)
    table.add_column("Meter's bound", justify="right", no_wrap=True)
    table.add_column("Self-test", overflow="fold")
    for one in stretch.sources.values():
        info = one.source.info
        for title, energy in _ways(one):
            text, bound = bounded_texts("total_joules", energy_value(energy))
            span = bound.removeprefix("meter's bound ")
            row = (info.scope.label, info.name, title, text, span, one.source.qualification.trust.value)
            table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _ways(one: SourceEnergy) -> Iterator[tuple[str, MeasuredOrWithheld]]:
    """Yield the figures that a meter has or should have; a way that it lacks by nature is left out."""
    outside = one.source.info.scope.kind in WALL_KINDS
    for title, energy in ((COUNTER, one.counter), (INTEGRATED, one.integrated)):
        if isinstance(energy, MeasuredEnergy) or energy.reason is not Reason.NOT_APPLICABLE:
            yield (f"{OUTSIDE}, {_OWN[title]}" if outside else title), energy


_OWN = {COUNTER: "its register", INTEGRATED: "its power integrated"}


def _notes(stretch: Stretch) -> Iterator[str]:
    """Yield why figures are dashes, what weakens the others, and which meters gave nothing."""
    cells, doubts = [], []
    for one in stretch.sources.values():
        name, test = one.source.info.name, one.source.qualification
        energies = list(_ways(one))
        cells += [
            (f"{name}, {title[0].lower()}{title[1:]}", Cell(DASH, why(energy_value(energy))))
            for title, energy in energies
            if isinstance(energy, Withheld)
        ]
        if is_simulated_board(one.source.info):
            doubts.append((name, "SIMULATED: its joules were computed, no meter saw them"))
        if test.reason and any(isinstance(energy, MeasuredEnergy) for _, energy in energies):
            doubts.append((name, f"{test.trust.value}: {test.reason}"))
        if one.source.info.uncertainty_pct:
            doubts.append((name, f"its maker states ±{number(one.source.info.uncertainty_pct, 2)} %"))
        flags = {
            flag for _, energy in energies if isinstance(energy, MeasuredEnergy) for flag in energy.flags
        }
        doubts += [(name, _FLAGS.get(flag, flag)) for flag in sorted(flags - {"suspect"})]
    yield from (printable(note) for note in notes(cells))
    for sentence, names in gathered(doubts).items():
        yield f"* {printable(', '.join(dict.fromkeys(names)))}: {printable(sentence)}"
    works = isinstance(stretch.total, MeasuredEnergy)
    yield from (f"* {line}" for line in absent_lines(stretch.absent, works=works))
    if stretch.rates is not None:
        yield from rate_lines(stretch.rates, local=True)
    yield from (printable(note) for note in stretch.notes)


_FLAGS = {
    "gap": "it was not read for a while",
    "slept": "the machine slept meanwhile",
    "sampler_lost": "the sampler was gone for a while",
    SHARED_BOARD: "the board is shared: the joules are the whole board's, everybody's on it",
    "lost": "it did not answer for a while",
    "edge_extrapolated": "its counter did not move again in time: the end's bound rests on its largest power",
}
