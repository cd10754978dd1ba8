"""What several runs are together, and the sentences that a comparison of them leads with.

Tasks of one model are no rivals: there the table leads, and ratios follow it.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.metrics.compare_grounds import ENERGY_FIGURES
from joulemark.metrics.compare_runs import ComparedRun, RunsComparison
from joulemark.report.comparison import headline, is_busy
from joulemark.report.headline import ENERGY, PROCESSOR
from joulemark.report.wording import figure_texts, printable

OTHER_TASKS = (
    "The tasks ask for different things: a ratio says what an answer of one costs beside an answer of the "
    "other, not which is better."
)
_LISTED = 3  # more tasks than these are told by their cheapest and their dearest


def are_tasks_of_one_model(compared: RunsComparison) -> bool:
    """Tell whether one model was asked a task of its own in each run."""
    manifests = [run.view.manifest for run in compared.runs]
    models = {(m.engine.kind, m.engine.model, m.engine.model_digest) for m in manifests}
    tasks = {m.task.name for m in manifests}
    return len(models) == 1 and len(tasks) == len(manifests)


def title(compared: RunsComparison) -> str:
    """Return what the runs are together: rivals by their models, else how many of which model and task."""
    n = len(compared.runs)
    models = list(dict.fromkeys(printable(run.summary.model) for run in compared.runs))
    tasks = {printable(run.summary.task) for run in compared.runs}
    if are_tasks_of_one_model(compared):
        return f"{n} tasks of {models[0]}"
    if len(models) == n:
        return " against ".join(models)
    on = f" on {tasks.pop()}" if len(tasks) == 1 else ""
    return f"{n} runs of {' and '.join(models)}{on}"


def row_note(run: ComparedRun, compared: RunsComparison) -> str:
    """Return what stands beside a run's letter in the table: its task or its model, where those differ."""
    for name in ("task", "model"):
        if len({getattr(one.summary, name) for one in compared.runs}) > 1:
            return printable(getattr(run.summary, name))
    return ""


def leads(compared: RunsComparison) -> list[str]:
    """Return the sentences to lead with: each run against the first, or what the tasks of a model cost."""
    if are_tasks_of_one_model(compared):
        return list(_costs(compared))
    return pair_headlines(compared)


def pair_headlines(compared: RunsComparison) -> list[str]:
    """Return each later run against the first in one sentence; tasks are named where they differ."""
    first, found = compared.runs[0], []
    for run, comparison in zip(compared.runs[1:], compared.comparisons, strict=True):
        a, b = first.label, run.label
        if any(refusal.code == "tasks_differ" for refusal in comparison.refusals):
            a, b = f"{a} on {printable(first.summary.task)}", f"{b} on {printable(run.summary.task)}"
        found.append(headline(a, b, comparison))
    return found


def _costs(compared: RunsComparison) -> Iterator[str]:
    refused = {name for pair in compared.comparisons for refusal in pair.refusals for name in refusal.figures}
    name, what = ENERGY, ""
    if all(run.summary.figures[ENERGY].value is None for run in compared.runs):
        if any(map(is_busy, compared.comparisons)):
            return  # the warnings say why
        name, what = PROCESSOR, " of processor time"
    elif refused.issuperset(ENERGY_FIGURES):
        return  # their joules do not belong in one sentence; the warnings say why
    known = [
        (value, f"{figure_texts(name, run.summary.figures[name])[0]}{what} on {printable(run.summary.task)}")
        for run in compared.runs
        if (value := run.summary.figures[name].value) is not None
    ]
    if not known:
        return
    if len(known) <= _LISTED:
        costs = [text for _, text in known]
        told = " and ".join(filter(None, (", ".join(costs[:-1]), costs[-1])))
    else:
        told = f"from {min(known)[1]} to {max(known)[1]}"
    unknown = [
        printable(run.summary.task) for run in compared.runs if run.summary.figures[name].value is None
    ]
    rest = ", ".join(unknown) if len(unknown) <= _LISTED else f"{len(unknown)} of the tasks"
    yield f"A correct answer takes {told}{f'; not known for {rest}' if unknown else ''}."
