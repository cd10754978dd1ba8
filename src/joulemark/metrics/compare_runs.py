"""Several runs side by side: the table over all, and each against the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from joulemark.metrics.compare import Comparison, compare
from joulemark.metrics.compare_definitions import PER_CORRECT, PER_TOKEN
from joulemark.metrics.compare_grounds import ENERGY_FIGURES
from joulemark.metrics.compare_settings import one_task
from joulemark.metrics.cost_forecast import TRANSFER
from joulemark.metrics.plain import JsonValue, intervals_json, reason_json, reasons_json
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# the table of the published methodology: accuracy, verbosity, and the three costs that may disagree
TABLE = (
    "accuracy",
    "mean_completion_tokens",
    "joules_per_token",
    "joules_per_request",
    "joules_per_correct_answer",
    "cpu_seconds_per_correct_answer",
)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with its letter and the name that its reader gave it (its directory)."""

    label: str
    name: str
    view: RunView
    summary: Summary


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two runs which energy per token orders otherwise than energy per correct answer does.

    ``by_token`` and ``by_correct`` are the letters of the cheaper run. ``…_told_apart``: whether that order
    is more than chance at 95 %; null where there is no interval, and of tokens across tasks, where energy per
    token is no comparison at all (``same_task``).
    """

    by_token: str
    by_correct: str
    same_task: bool
    token_told_apart: bool | None
    correct_told_apart: bool | None


@dataclass(frozen=True, slots=True)
class RunsComparison:
    """Runs in the order they were given; ``comparisons`` are of each later one against the first."""

    runs: tuple[ComparedRun, ...]
    comparisons: tuple[Comparison, ...]
    reversals: tuple[Reversal, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded; each null figure has its entry under ``reasons``."""
        first = self.runs[0].label
        return {
            "runs": [_run_json(run) for run in self.runs],
            "comparisons": [
                {"a": first, "b": run.label, **comparison_json(comparison)}
                for run, comparison in zip(self.runs[1:], self.comparisons, strict=True)
            ],
            "reversals": [dict(asdict(reversal)) for reversal in self.reversals],
        }


def compare_runs(runs: Sequence[tuple[str, RunView, Summary]]) -> RunsComparison:
    """Compare two to twenty-six runs (name, view, summary); raises ``ValueError`` for another number."""
    if not 2 <= len(runs) <= len(LABELS):
        raise ValueError(f"{len(runs)} runs are not compared: two to {len(LABELS)} are")
    lettered = tuple(ComparedRun(label, *run) for label, run in zip(LABELS, runs, strict=False))
    first = lettered[0]
    comparisons = tuple(compare(first.view, run.view, (first.label, run.label)) for run in lettered[1:])
    pairs = zip(lettered[1:], comparisons, strict=True)
    found = (_reversal(first, run, comparison) for run, comparison in pairs)
    return RunsComparison(lettered, comparisons, tuple(one for one in found if one))


def _reversal(a: ComparedRun, b: ComparedRun, comparison: Comparison) -> Reversal | None:
    refused = {name for refusal in comparison.refusals for name in refusal.figures}
    if set(ENERGY_FIGURES) <= refused:
        return None
    by_token = _cheaper(a, b, comparison, PER_TOKEN.name)
    by_correct = _cheaper(a, b, comparison, PER_CORRECT.name)
    if by_token is None or by_correct is None or by_token == by_correct:
        return None
    apart = [comparison.told_apart(name) for name in (PER_TOKEN.name, PER_CORRECT.name)]
    return Reversal(by_token, by_correct, one_task(a.view, b.view), *apart)


def _cheaper(a: ComparedRun, b: ComparedRun, comparison: Comparison, name: str) -> str | None:
    """Return the letter of the cheaper run over the items that the comparison's own ratio is made of.

    Runs of two tasks have no ratio per token; not being paired, they are ordered as whole runs.
    """
    ratio = comparison.figures[name].value
    if ratio is None and not comparison.paired:
        alone = name.removesuffix("_ratio")
        of_a, of_b = a.summary.figures[alone].value, b.summary.figures[alone].value
        ratio = of_b / of_a if of_a and of_b is not None else None
    if ratio is None or ratio == 1:
        return None
    return a.label if ratio > 1 else b.label


def comparison_json(comparison: Comparison) -> dict[str, JsonValue]:
    """Return one comparison as plain JSON values, unrounded."""
    figures, known = comparison.figures, {**comparison.figures, TRANSFER.name: comparison.transfer}
    reasons = reasons_json(known)
    if comparison.split.per_request is None:
        cause = next(
            figures[name]
            for name in ("joules_per_request_ratio", "joules_per_token_ratio", "completion_tokens_ratio")
            if figures[name].reason
        )
        assert cause.reason is not None
        reasons["split"] = reason_json(cause.reason, cause.detail)
    elif comparison.split.share_tokens is None:
        reasons["split.shares"] = reason_json(
            Reason.NOT_APPLICABLE, "The energies of a request are not told apart."
        )
    if comparison.outcomes is None:
        reasons["outcomes"] = reason_json(
            Reason.NOT_APPLICABLE, "The runs are not paired, or not right or wrong."
        )
    return {
        "paired": comparison.paired,
        "questions_differ": list(comparison.questions),
        "n_items": {"a": comparison.n_items[0], "b": comparison.n_items[1]},
        "left_out": {"a": comparison.left_out[0], "b": comparison.left_out[1]},
        "headline": comparison.headline,
        **{name: value.value for name, value in known.items()},
        "intervals": intervals_json(known),
        "units": {name: value.unit for name, value in known.items()},
        "counts": {name: value.n for name, value in known.items() if value.n is not None},
        "reasons": reasons,
        "told_apart": {name: comparison.told_apart(name) for name in figures},
        "within_meters_bound": comparison.within_bound,
        "items_needed": {name: comparison.items_needed(name) for name in figures},
        "split": dict(asdict(comparison.split)),
        "outcomes": dict(asdict(comparison.outcomes)) if comparison.outcomes else None,
        "differences": [{"name": d.name, "a": d.a, "b": d.b} for d in comparison.differences],
        "refusals": [
            {"code": refusal.code, "text": refusal.text, "figures": list(refusal.figures)}
            for refusal in comparison.refusals
        ],
        "notes": [{"code": c.code, "loud": c.loud, "text": c.text} for c in comparison.notes],
    }


def _run_json(run: ComparedRun) -> dict[str, JsonValue]:
    summary = run.summary
    figures = {name: summary.figures[name] for name in TABLE}
    return {
        "label": run.label,
        "run_dir": run.name,
        "run_id": summary.run_id,
        "config_hash": summary.config_hash,
        "state": summary.state,
        "model": summary.model,
        "engine": summary.engine,
        "task": summary.task,
        "n_items": summary.n_items,
        "n_requests": summary.n_requests,
        "n_correct": summary.n_correct,
        "measurement_tier": summary.measurement_tier,
        "energy_source": summary.energy_source,
        "headline_scope": summary.headline_scope,
        "replayed": summary.replayed,
        **{name: value.value for name, value in figures.items()},
        "intervals": intervals_json(figures),
        "units": {name: value.unit for name, value in figures.items()},
        "reasons": reasons_json(figures),
        "caveats": [{"code": c.code, "loud": c.loud, "text": c.text} for c in summary.caveats],
    }
