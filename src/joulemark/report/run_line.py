"""A run in two lines of a list: how far it came, and its first figures or why there are none."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.report.at_most import bounded_texts
from joulemark.report.wording import DASH, figure_texts, printable, why
from joulemark.runs.headline_figures import HeadlineFigures


def run_lines(facts: Mapping[str, object], figures: HeadlineFigures) -> str:
    """Return the lines of a run; ``facts`` as of `joulemark.runs.listing.list_runs`."""
    answers = f"{facts['answers']}/{facts['wanted']}"
    head = f"{facts['created_utc']}  {facts['state']:<8} {answers:>9}  {facts['run_dir']}"
    share = figures.accuracy
    marks = [*(["SIMULATED"] if figures.simulated else []), *(["REPLAYED"] if figures.replayed else [])]
    if figures.invalid:
        marks.append(f"INVALID timing ({', '.join(figures.invalid)})")
    tier = figures.measurement_tier
    stopped = facts.get("stopped_by")
    told = [
        _energy(figures),
        f"tier {tier}" if tier is not None else "no tier" if figures.has_joules else "",
        f"accuracy {figure_texts('accuracy', share)[0]}" if share.value is not None else "",
    ]
    if figures.joules_per_correct_answer.value is None:
        told.reverse()  # the sentence that says why stands last
    if isinstance(stopped, list) and stopped:
        told.insert(0, f"stopped by its target {', '.join(map(str, stopped))}")
    line = " · ".join(filter(None, told))
    marked = f"{', '.join(marks)}: {line}" if marks else line
    return f"{printable(head, keep_spaces=True)}\n    {printable(marked)}"


def _energy(figures: HeadlineFigures) -> str:
    joules = figures.joules_per_correct_answer
    if joules.value is None:
        return f"{DASH} per correct answer: {why(joules)}"
    energy, bound = bounded_texts("joules_per_correct_answer", joules)
    whole = " over the whole run, start and drain too" if figures.loaded else ""
    return f"{energy} per correct answer{whole}" + (f" ({bound})" if bound else "")
