"""An evaluation of programs as one page: a single file, offline, without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark import __version__
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Placed
from joulemark.metrics.code.summary import CodeSummary
from joulemark.report.code_cells import OF_GROUPS, group_columns, group_rows
from joulemark.report.code_chart import ratio_chart, ratio_words
from joulemark.report.code_extremes import algorithm_counts, extremes_of, is_alike, unplaced_words
from joulemark.report.code_few import TITLE, few_of
from joulemark.report.code_lead import headline
from joulemark.report.code_rows import (
    definition_of,
    notes,
    sections,
    warnings,
)
from joulemark.report.drawing import drawn
from joulemark.report.page_file import write_page
from joulemark.report.templates import template
from joulemark.report.wording import printable

_MAX_SOURCE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Program:
    """A program beside the reference of its problem, with its value of a metric; empty where of several."""

    value: str
    problem: str
    title: str
    sample: int
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Ends:
    """The worst and the best programs by one metric, and the algorithms of the worst.

    ``alike``: the value of all of them where it is one; then no program is shown. ``unplaced`` says how many
    have no value.
    """

    title: str
    worst: tuple[Program, ...]
    best: tuple[Program, ...]
    algorithms: str
    alike: str = ""
    unplaced: str = ""


def render_code_page(
    record: EvaluationRecord,
    summary: CodeSummary,
    failures: Mapping[str, str],
    not_measured: Mapping[str, str] | None = None,
) -> str:
    """Return the page as text. Only the chart's own SVG is trusted markup; all else is escaped."""
    band = summary.figures["aa_band"].value if "aa_band" in summary.figures else None
    found = sections(record, summary)
    names = sorted({row.name for section in found for row in section.rows})
    chart = None
    if summary.ratios.n:
        chart = drawn(
            lambda px: ratio_chart(summary.ratios, band, px),
            "Programs by their CPU time over the reference's",
            ratio_words(summary.ratios),
            f"{ratio_words(summary.ratios)} Left of the line: a ratio below 1. Grey: what a program differs "
            "from itself by.",
        )
    few = few_of(summary)
    page = {
        "title": f"{printable(record.model)}: programs",
        "headline": headline(summary),
        "warnings": warnings(record, summary, failures),
        "notes": notes(summary, not_measured),
        "sections": found,
        "tooltips": {name: definition_of(name).tooltip() for name in names},
        "chart": chart,
        "columns": group_columns(summary.queued),
        "of_groups": OF_GROUPS,
        "groups": [
            (title, group_rows(groups))
            for title, groups in (("algorithm", summary.by_algorithm), ("difficulty", summary.by_difficulty))
            if groups
        ],
        "few": few,
        "few_title": TITLE,
        "few_programs": ()
        if few is None
        else [_program("", row.problem, row.sample, row.program, record) for row in few.rows],
        "ends": _ends(record, summary) if few is None else (),
        "facts": _facts(record),
        "version": __version__,
    }
    return template("code").render(page=page)


def write_code_page(
    record: EvaluationRecord,
    summary: CodeSummary,
    failures: Mapping[str, str],
    path: Path,
    not_measured: Mapping[str, str] | None = None,
) -> None:
    """Write the page; raises `InputError` where that fails."""
    fix = f"make {path.parent} a folder that you may write in, or name another file with --html"
    write_page(path, render_code_page(record, summary, failures, not_measured), fix=fix)


def _ends(record: EvaluationRecord, summary: CodeSummary) -> list[Ends]:
    return [
        Ends(title, (), (), "", one.worst[0].text, unplaced_words(one))
        if is_alike(one)
        else Ends(
            title,
            _programs(one.worst, record),
            _programs(one.best, record),
            algorithm_counts(one),
            unplaced=unplaced_words(one),
        )
        for title, one in extremes_of(summary)
    ]


def _programs(placed: Sequence[Placed], record: EvaluationRecord) -> tuple[Program, ...]:
    return tuple(_program(one.text, one.problem, one.number, one.program, record) for one in placed)


def _program(value: str, problem: str, sample: int, program: str, record: EvaluationRecord) -> Program:
    return Program(
        value=value,
        problem=printable(problem),
        title=printable(record.problems[problem].title) if problem in record.problems else "",
        sample=sample,
        source=_shown(record.sources.get(program, "")),
        reference=_shown(record.sources.get(record.references.get(problem, ""), "")),
    )


def _shown(source: str) -> str:
    """Return a program's text for a page: long ones are cut, and signs that steer nothing are shown."""
    text = source if len(source) <= _MAX_SOURCE_CHARS else f"{source[:_MAX_SOURCE_CHARS]}\n…"
    return "\n".join(printable(line, keep_spaces=True) for line in text.expandtabs(4).splitlines())


def _facts(record: EvaluationRecord) -> list[tuple[str, str]]:
    host, settings = record.environment.host, record.settings
    return [
        ("Problems", f"{len(record.problems)} ({printable(record.origin)}), {record.problems_digest[:16]}"),
        ("Programs", record.samples_digest[:16]),
        ("Tests", f"{settings.n_tests} a problem, seed {settings.seed}"),
        ("Limits", f"{settings.timeout_s:g} s of CPU time a call, {settings.memory_mib} MiB"),
        ("Pairs", f"{settings.min_pairs} to {settings.max_pairs}, until ± {settings.target_half_width:.0%}"),
        ("Environment", record.environment_id),
        (
            "Processor",
            f"{host.cpu_model or '—'}, {host.cpu_count or '—'} cores, {host.virtualization or '—'}",
        ),
        (
            "Interpreter",
            f"{record.environment.implementation} {record.environment.python}, {host.os} {host.kernel or ''}",
        ),
        ("Made", f"{record.created_utc} by Joulemark {record.joulemark_version}"),
    ]
