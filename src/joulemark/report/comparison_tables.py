"""The tables of a comparison: runs, figures, settings, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.compare import Comparison
from joulemark.metrics.compare_definitions import ACCURACY, DEFINITIONS, PER_CORRECT_BOUND, SCORES
from joulemark.metrics.compare_runs import TABLE, Reversal, RunsComparison
from joulemark.metrics.setup import Setting
from joulemark.metrics.value import Value
from joulemark.report.comparison import has_scores, texts, unsure, why
from joulemark.report.comparison_lead import are_tasks_of_one_model, row_note
from joulemark.report.setting_titles import setting_title
from joulemark.report.wording import DASH, figure_texts, gathered, how_far, printable

_COLUMNS = {
    "accuracy": "Accuracy",
    "mean_completion_tokens": "Tokens an answer",
    "joules_per_token": "J / token",
    "joules_per_request": "J / request",
    "joules_per_correct_answer": "J / correct",
    "cpu_seconds_per_correct_answer": "CPU s / correct",
}
TWO_COSTS = (
    "Energy per token and energy per correct answer may order runs differently: who talks more, or is "
    "wrong more often, pays for it in the second alone."
)
_LONG_HASH = 16


@dataclass(frozen=True, slots=True)
class RatioRow:
    """A line of the table of figures: B / A or B − A, its interval, and what follows from it.

    Of a withheld figure the verdict says why.
    """

    name: str
    title: str
    text: str
    interval: str
    verdict: str

    @property
    def withheld(self) -> bool:
        """Whether there is no figure."""
        return self.text == DASH


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run by its letter: who answered what, measured how, and the figures of the table.

    ``note`` is its task or model, where those tell the runs apart.
    """

    label: str
    note: str
    name: str
    told: str
    cells: list[str]


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting in which two runs differ, as texts; ``name`` is the dotted one of the record."""

    name: str
    title: str
    a: str
    b: str


def ratio_rows(a: str, b: str, comparison: Comparison) -> list[RatioRow]:
    """Return the table of figures; scores in place of right and wrong alone have a row."""
    rows = []
    for defined in DEFINITIONS:
        value = comparison.figures[defined.name]
        if defined is PER_CORRECT_BOUND and value.value is None:
            continue
        if defined is SCORES and not has_scores(comparison):
            continue
        title = defined.title.replace("B / A", f"{b} / {a}").replace("B − A", f"{b} − {a}")
        point, interval = texts(defined.name, value)
        if defined is ACCURACY and value.value is not None:
            point = f"{point} pp"
        verdict = _verdict(defined.name, value, comparison)
        if value.interval == "bound":
            interval, verdict = "", f"meters' bound {interval}, no statistics"
        rows.append(RatioRow(defined.name, title, point, interval, verdict))
    return rows


def ratio_notes(rows: Sequence[RatioRow]) -> list[str]:
    """Return why figures are dashes, one line a reason."""
    reasons = gathered((row.title.rsplit(", ", 1)[0], row.verdict) for row in rows if row.withheld)
    # the sentence begins with a run's letter and a colon of its own
    return [f"{DASH} {'; '.join(titles)}. {sentence}" for sentence, titles in reasons.items()]


def _verdict(name: str, value: Value, comparison: Comparison) -> str:
    if value.value is None:
        return why(value)
    apart = comparison.told_apart(name)
    if apart is None:
        return f"cannot be said: {unsure(value, comparison)}"
    if apart:
        return "differs"
    needed = comparison.items_needed(name)
    return "tie" if needed is None else f"tie; about {needed:,} items would tell"


def columns() -> list[str]:
    """Return the titles of the table of runs."""
    return [_COLUMNS[name] for name in TABLE]


def run_lines(compared: RunsComparison) -> list[RunLine]:
    """Return the runs, each with what it is and its cells of the table."""
    found = []
    for run in compared.runs:
        summary = run.summary
        tier = f"tier {summary.measurement_tier}" if summary.measurement_tier else "no tier"
        meter = (
            f"{summary.headline_scope} by {summary.energy_source}" if summary.headline_scope else "no joules"
        )
        parts = (
            summary.model,
            summary.engine,
            summary.task,
            how_far(summary) or f"{summary.n_requests:,} answers",
            f"{meter}, {tier}{', REPLAYED' if summary.replayed else ''}",
        )
        cells = [figure_texts(name, summary.figures[name])[0].removesuffix(" tokens") for name in TABLE]
        told = " · ".join(map(printable, parts))
        found.append(RunLine(run.label, row_note(run, compared), printable(run.name), told, cells))
    return found


def reversal_sentence(reversal: Reversal) -> str:
    """Say that the two costs order two runs differently."""
    told = f"By J/token {reversal.by_token} is cheaper, by J/correct {reversal.by_correct} is"
    orders = {"J/token": reversal.token_told_apart, "J/correct": reversal.correct_told_apart}
    ties = [name for name, apart in orders.items() if apart is False]
    if ties:
        told += f" (but by {' and by '.join(ties)} the two cannot be told apart at 95 %)"
    if not reversal.same_task:
        return f"{told}. Across tasks J/token is no comparison: it prices a token, not an answer."
    return f"{told}."


def setting_rows(comparison: Comparison) -> list[SettingRow]:
    """Return the settings in which two runs differ; long hashes are cut."""
    return [
        SettingRow(d.name, setting_title(d.name), _setting(d.a), _setting(d.b))
        for d in comparison.differences
    ]


def _setting(value: Setting) -> str:
    if value is None:
        return f"{DASH} not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = printable(str(value))
    is_hash = len(text) > 2 * _LONG_HASH and all(c in "0123456789abcdef" for c in text)
    return f"{text[:_LONG_HASH]}…" if is_hash else text


def warnings(compared: RunsComparison, *, loud: bool) -> list[str]:
    """Return what a reader must know: of the comparisons first, then of single runs; each sentence once."""
    first, of_pairs, n = compared.runs[0].label, [], len(compared.comparisons)
    as_expected = {"tasks_differ"} if are_tasks_of_one_model(compared) else set()
    for run, comparison in zip(compared.runs[1:], compared.comparisons, strict=True):
        said = [one.text for one in comparison.refusals if loud != (one.code in as_expected)]
        said += [note.text for note in comparison.notes if note.loud == loud]
        of_pairs += [(f"{run.label} against {first}", text) for text in dict.fromkeys(said)]
    # what holds of every pair is said of none
    found = [
        text if len(pairs) == n else f"{', '.join(pairs)}: {text}"
        for text, pairs in gathered(of_pairs).items()
    ]
    if loud:
        alone = [(run.label, c.text) for run in compared.runs for c in run.summary.caveats if c.loud]
        found += [f"{', '.join(labels)}: {text}" for text, labels in gathered(alone).items()]
    return list(dict.fromkeys(map(printable, found)))
