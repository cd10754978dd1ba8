"""The figure a report leads with: what a correct answer cost, in the best unit that was measured."""

from __future__ import annotations

from dataclasses import dataclass, field

from joulemark.metrics.catalogue import definition
from joulemark.metrics.summary import Summary
from joulemark.report.busy import is_busy, marked
from joulemark.report.these_questions import OF_THE_KIND, beside
from joulemark.report.wording import DASH, figure_texts, source_sentence, tier_sentence, why

ENERGY, PROCESSOR = "joules_per_correct_answer", "cpu_seconds_per_correct_answer"
BOUND = "joules_per_correct_answer_bound"


@dataclass(frozen=True, slots=True)
class Tile:
    """A large figure with lines of small print; ``name`` is that of its definition."""

    title: str
    text: str
    lines: list[str] = field(default_factory=list)
    name: str = ""


def tile(name: str, summary: Summary) -> Tile:
    """Return a scalar figure with its interval, or with why it is withheld."""
    value = summary.figures[name]
    text, interval = figure_texts(name, value)
    own = beside(name, summary)
    spoken = f"{interval} {OF_THE_KIND}" if own and interval else interval
    lines = [line for line in (spoken, own, why(value)) if line]
    if name == "accuracy" and value.value is not None:
        lines.append(f"{summary.n_correct} correct of {summary.n_scored} scored requests")
    if name.startswith("accuracy_excluding_") and value.value is not None and value.n is not None:
        lines.append(f"of {value.n:,} {'answer' if value.n == 1 else 'answers'}")
    return Tile(marked(name, definition(name).title, summary), text, lines, name)


def energy_tile(summary: Summary) -> Tile:
    """Return the energy per correct answer; its interval over items and the meter's bound stand apart."""
    value = summary.figures[ENERGY]
    if value.value is None:
        return tile(ENERGY, summary)
    text, interval = figure_texts(ENERGY, value)
    bound = figure_texts(BOUND, summary.figures[BOUND])
    own = beside(ENERGY, summary)
    spoken = f"{interval} {OF_THE_KIND}" if own and interval else interval
    method = f" ({value.interval_method})" if value.interval_method else ""
    lines = [
        f"Over items: {spoken or 'no interval'}{method}",
        *filter(None, [own]),
        f"Of the meter itself: {bound[1]}",
        _meter(summary),
    ]
    return Tile(definition(ENERGY).title, text, lines, ENERGY)


def leading(summary: Summary) -> str:
    """Return the name of the figure to lead with: the best unit, per correct answer where there is such.

    Processor time does not lead on a busy machine: a warning says there that it is not comparable.
    """
    of_media = ("joules_per_image", "joules_per_video", "joules_per_image_bound", "joules_per_video_bound")
    joules, none = (ENERGY, *of_media, "joules_per_request"), (PROCESSOR, "accuracy", "mean_score")
    if is_busy(summary):
        none = ("accuracy", "mean_score", PROCESSOR)
    candidates = joules if leads_with_energy(summary) else (*none, "batch_latency_s")
    return next((name for name in candidates if summary.figures[name].value is not None), candidates[0])


def headline(summary: Summary) -> Tile:
    """Return the figure to lead with; of an energy, also which meter it rests on and its tier."""
    name = leading(summary)
    if name == ENERGY:
        return energy_tile(summary)
    led = tile(name, summary)
    if leads_with_energy(summary):
        led.lines.append(_meter(summary))
    return led


def leads_with_energy(summary: Summary) -> bool:
    """Tell whether there are joules to lead with."""
    return summary.figures["total_joules"].value is not None


def _meter(summary: Summary) -> str:
    tier = summary.measurement_tier or DASH
    return f"{source_sentence(summary)}. Tier {tier}: {tier_sentence(summary).rstrip('.')}."
