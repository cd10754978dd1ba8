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
    told = [
        _energy(figures),
        f"tier {figures.measurement_tier}" if figures.measurement_tier is not None else "",
        f"accuracy {figure_texts('accuracy', share)[0]}" if share.value is not None else "",
    ]
    if figures.joules_per_correct_answer.value is None:
        told.reverse()  # the sentence that says why stands last
    return f"{printable(head, keep_spaces=True)}\n    {printable(' · '.join(filter(None, told)))}"


def _energy(figures: HeadlineFigures) -> str:
    joules = figures.joules_per_correct_answer
    if joules.value is None:
        return f"{DASH} per correct answer: {why(joules)}"
    energy, bound = bounded_texts("joules_per_correct_answer", joules)
    replayed = "REPLAYED: " if figures.replayed else ""
    return f"{replayed}{energy} per correct answer" + (f" ({bound})" if bound else "")
