"""What the cost of an answer with the runs of its program is, and when a dearer model pays back."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition

_UNKNOWN = (
    "an answer that passes its tests{} was ended, or failed, on the scaled input, or returned a wrong result "
    "beyond its tests: leaving it out would favour the model"
)
_NONE = ("no answer was right", "no right answer was timed", _UNKNOWN.format(""))

_LATEX = r"\sum_p g_p / \sum_p c_p + N \cdot \frac{1}{P} \sum_p r_p"
_WHAT = (
    "this project: cost of all generations, wrong ones too, per right answer, and N runs on the scaled "
    "input, mean over tasks; interval: tasks resampled"
)


def _cost(name: str, title: str, unit: str, inputs: tuple[str, ...], note: str) -> MetricDefinition:
    return MetricDefinition(name, title, unit, _LATEX, inputs, _NONE, f"{_WHAT}; {note}")


COST_AT_METERED_RATE = _cost(
    "cost_with_runs_at_metered_rate_j",
    "Modelled joules per correct answer with N runs, at the metered rate",
    "J",
    ("attribution.joules", "items.cpu_s", "code.cpu_ns", "code.correct"),
    "both parts modelled: CPU time of the engine and of the program, times the joules that a CPU-second took "
    "by the meter of the processors while the engine worked; never beside metered joules; the bound of that "
    "rate is not in the interval and stands beside it",
)
RUN_AT_METERED_RATE = MetricDefinition(
    "run_at_metered_rate_j",
    "Modelled joules of one run of a program, at the metered rate",
    "J",
    r"\frac{E}{t_\mathrm{engine}} \cdot \frac{1}{P} \sum_p t_p",
    ("attribution.joules", "items.cpu_s", "code.cpu_ns"),
    (
        "no meter saw the processors that programs run on",
        "no right answer was timed",
        _UNKNOWN.format(""),
    ),
    "this project: CPU time of one run on the scaled input, mean over problems, times the joules of a "
    "CPU-second; modelled, for no meter was read while it ran: a program may draw other power than an "
    "engine; bound: that of the rate",
)
COST_MODELLED = _cost(
    "cost_with_runs_modelled_j",
    "Modelled joules per correct answer with N runs, at declared watts",
    "J",
    ("code.cpu_ns", "code.correct", "rates.watts"),
    "both parts modelled: declared watts times time; never beside metered joules",
)
COST_CPU = _cost(
    "cost_with_runs_cpu_s",
    "CPU-seconds per correct answer with N runs",
    "s",
    ("items.cpu_s", "code.cpu_ns", "code.correct"),
    "where no watts are known: CPU time of the engine and of the program",
)
BREAK_EVEN = MetricDefinition(
    "break_even_runs",
    "Runs after which the dearer model pays back",
    "runs",
    r"(g_\mathrm{dear} - g_\mathrm{cheap}) / (r_\mathrm{cheap} - r_\mathrm{dear})",
    ("cost_with_runs_at_metered_rate_j", "cost_with_runs_modelled_j", "cost_with_runs_cpu_s"),
    (
        "the dearer model's programs take no less to run: it never pays back",
        "no problem was solved and timed by both",
        _UNKNOWN.format(", to a problem that both solved,"),
        "a problem that both solved was timed on inputs of two sizes",
        "the references took longer at one evaluation than at the other: beyond 5 %, the bands and chance",
    ),
    "this project: g the cost to generate per right answer, over the problems that both were asked; r that "
    "of one run, mean over the problems that both solved: the paired ratio times the reference's time, the "
    "geometric mean of its medians at both evaluations; interval: problems resampled jointly, widened by the "
    "root of how much longer the references took at one of the two (median over problems), none where more "
    "than 2.5 % of resamples never pay back",
)
DEFINITIONS = (COST_AT_METERED_RATE, RUN_AT_METERED_RATE, COST_MODELLED, COST_CPU, BREAK_EVEN)
