"""Evaluations of programs side by side, in a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.code.evaluation.comparison import EvaluationComparison, MachineComparison
from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.model_pair import ModelPair
from joulemark.metrics.code.queued import Queued
from joulemark.metrics.code.ranks import GroupTest
from joulemark.metrics.code.summary_json import figures_json, spreads_json
from joulemark.metrics.plain import JsonValue
from joulemark.record.code_run import Purpose
from joulemark.report.busy import DAGGER
from joulemark.report.code_busy import busy_words, is_of_busy_wall
from joulemark.report.code_cells import OF_GROUPS, cell_of
from joulemark.report.code_rows import is_mere_bound, title_of
from joulemark.report.code_terminal import cell_text
from joulemark.report.code_verdict import told, verdict
from joulemark.report.wording import DASH, figure_texts, printable, why

_SHOWN = (
    "pass_at_1",
    "et",
    "mu",
    "tmu",
    "net",
    "nmu",
    "ntmu",
    "net_corrected",
    "net_corrected_at_least",
    "nmu_corrected",
    "ntmu_corrected",
    "growth_excess_mean",
    "slower_share",
    "aa_band",
)


def print_code_comparison(compared: EvaluationComparison, console: Console) -> None:
    """Print the figures of every evaluation: of all problems, of those that all solved, and their spread."""
    for name, values in compared.differ.items():
        said = ", ".join(f"{printable(label)}: {_setting(value)}" for label, value in values.items())
        console.print(Text(f"! their settings differ in {name}: {said}", style="bold red"))
    for pair in compared.pairs:
        for sentence in verdict(pair, *_names(pair, compared)):
            console.print(Text(sentence, style="bold"))
    for label, queued in compared.queued.items():
        for sentence in busy_words(queued):
            console.print(Text(f"! {printable(label)}: {sentence}", style="bold red"))
    _figures("All problems", compared, compared.of_all, console)
    _figures(
        f"The {compared.n_shared:,} problems that all of them solved", compared, compared.of_shared, console
    )
    for pair in compared.pairs:
        _pair(pair, compared, console)
    if compared.spread:
        console.print(Text("\nThe same answers again: mean ± deviation", style="bold"))
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name in _SHOWN:
            spread = compared.spread.get(name)
            if spread is not None and spread.mean is not None:
                sigma = DASH if spread.sigma is None else f"{spread.sigma:.3g}"
                table.add_row(
                    title_of(name), f"{spread.mean:.4g} ± {sigma} {spread.unit.replace('1', '')}".strip()
                )
        console.print(Padding(table, (0, 0, 0, 2)))
    for count in compared.test_counts:
        console.print(
            Text(f"{count.n_tests:,} tests: {count.n_false_passes} of {count.n_judged} are false passes")
        )
    console.print(Text(f"\nenvironment {compared.environment_id}", style="dim"))


def comparison_json(compared: EvaluationComparison) -> dict[str, JsonValue]:
    """Return a comparison as plain values."""
    models: dict[str, JsonValue] = dict(compared.models)
    every: dict[str, JsonValue] = {name: figures_json(one) for name, one in compared.of_all.items()}
    shared: dict[str, JsonValue] = {name: figures_json(one) for name, one in compared.of_shared.items()}
    counts: list[JsonValue] = [
        {
            "n_tests": one.n_tests,
            "n_false_passes": one.n_false_passes,
            "n_judged": one.n_judged,
            "differences": figures_json(one.differences),
        }
        for one in compared.test_counts
    ]
    return {
        "environment_id": compared.environment_id,
        "models": models,
        "all_problems": every,
        "n_shared": compared.n_shared,
        "shared_problems": shared,
        "pairs": [
            {"first": one.first, "second": one.second, **figures_json(one.figures)} for one in compared.pairs
        ],
        "queued": {
            label: {purpose.value: {**asdict(one), "is_busy": one.is_busy} for purpose, one in mine.items()}
            for label, mine in compared.queued.items()
        },
        "spread": spreads_json(compared.spread),
        "test_counts": counts,
        "settings_differ": {name: {**values} for name, values in compared.differ.items()},
    }


def print_machines(compared: MachineComparison, console: Console) -> None:
    """Print how far each two machines agree, and whether the ratios differ between them."""
    for name, words in compared.machines.items():
        console.print(Text(f"{name}: {printable(words)}"))
    for agreement in compared.found.agreements:
        console.print(Text(f"\n{agreement.first} and {agreement.second}", style="bold"))
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        rows = {"ranking of the models": ("rank_agreement_of_models", agreement.of_models)}
        rows |= {
            f"ranking of the tasks, {printable(model)}": ("rank_agreement_of_tasks", value)
            for model, value in agreement.of_tasks.items()
        }
        for title, (name, value) in rows.items():
            text, interval = figure_texts(name, value)
            table.add_row(title, text, Text(interval or why(value), style="dim"))
        console.print(Padding(table, (0, 0, 0, 2)))
    _tests("Kruskal–Wallis: do the ratios differ between machines?", compared.found.kruskal_wallis, console)
    _tests("Friedman: the same within each task", compared.found.friedman, console)


def machines_json(compared: MachineComparison) -> dict[str, JsonValue]:
    """Return a comparison of machines as plain values."""
    machines: dict[str, JsonValue] = dict(compared.machines)
    agreements: list[JsonValue] = [
        {
            "first": one.first,
            "second": one.second,
            **figures_json({"rank_agreement_of_models": one.of_models}),
            "of_tasks": {
                model: figures_json({"rank_agreement_of_tasks": value})
                for model, value in one.of_tasks.items()
            },
        }
        for one in compared.found.agreements
    ]
    return {
        "machines": machines,
        "agreements": agreements,
        "kruskal_wallis": _tests_json(compared.found.kruskal_wallis),
        "friedman": _tests_json(compared.found.friedman),
    }


def _setting(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _figures(
    title: str, compared: EvaluationComparison, found: Mapping[str, Figures], console: Console
) -> None:
    console.print(Text.assemble((f"\n{title}", "bold"), (f" ({OF_GROUPS})", "dim")))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for label, model in compared.models.items():
        table.add_column(Text(f"{printable(model)}\n{printable(label)}"), justify="right", overflow="fold")
    for name in _SHOWN:
        if all(is_mere_bound(name, figures) for figures in found.values()):
            continue
        if any(name in figures and figures[name].value is not None for figures in found.values()):
            cells = [_cell(name, figures, compared.queued.get(label, {})) for label, figures in found.items()]
            table.add_row(title_of(name), *cells)
    console.print(Padding(table, (0, 0, 0, 2)))


def _cell(name: str, figures: Figures, queued: Mapping[Purpose, Queued]) -> Text:
    if name not in figures:
        return Text(DASH)
    cell = cell_of(name, figures[name])
    is_busy = figures[name].value is not None and is_of_busy_wall(name, queued)
    return cell_text(replace(cell, text=f"{cell.text} {DAGGER}") if is_busy else cell)


def _pair(pair: ModelPair, compared: EvaluationComparison, console: Console) -> None:
    """Print what two evaluations differ by, and whether the interval tells them apart."""
    labels = [f"{printable(compared.models[one])} ({printable(one)})" for one in (pair.first, pair.second)]
    console.print(Text(f"\nProblem by problem: {labels[0]} first, {labels[1]} second", style="bold"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in pair.figures.items():
        text, interval = figure_texts(name, value)
        n = "" if value.n is None else f"n = {value.n:,}"
        table.add_row(title_of(name), text, n, Text(interval or why(value), style="dim"), told(name, value))
    console.print(Padding(table, (0, 0, 0, 2)))


def _names(pair: ModelPair, compared: EvaluationComparison) -> tuple[str, str]:
    """Return what the two are called: the models, or the labels where one model is evaluated twice."""
    models = [printable(compared.models[one]) for one in (pair.first, pair.second)]
    return (
        (models[0], models[1]) if models[0] != models[1] else (printable(pair.first), printable(pair.second))
    )


def _tests(title: str, found: Mapping[str, GroupTest | None], console: Console) -> None:
    known = {model: test for model, test in found.items() if test is not None}
    if not known:
        return
    console.print(Text(f"\n{title}", style="bold"))
    for model, test in known.items():
        said = f"{printable(model)}: H({test.degrees}) = {test.statistic:.2f}, p = {test.p_value:.3g}"
        console.print(Text(f"  {said}"))


def _tests_json(found: Mapping[str, GroupTest | None]) -> dict[str, JsonValue]:
    return {model: None if test is None else asdict(test) for model, test in found.items()}
