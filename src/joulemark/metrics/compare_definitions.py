"""The figures of a comparison: ratios B over A and differences B minus A."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition

POINTS = "percentage points"
_INTERVAL = (
    "paired joint bootstrap by item, 10,000 resamples, 95 % percentile interval of the logarithm; withheld "
    "below 10 items and when more than 5 % of the resamples hold no correct answer; runs of different items "
    "are resampled independently"
)
_NOT_COMPARED = "the two energies may not be compared (tiers, scope classes, replayed against live)"


def _ratio(name: str, title: str, of: str, *cases: str) -> MetricDefinition:
    return MetricDefinition(
        f"{name}_ratio",
        title,
        "1",
        rf"({of})_B / ({of})_A",
        (name,),
        (f"{name} of a run is withheld", *cases),
        _INTERVAL,
    )


PER_CORRECT = _ratio(
    "joules_per_correct_answer", "Energy per correct answer, B / A", r"E / n_\mathrm{correct}", _NOT_COMPARED
)
PER_CORRECT_BOUND = MetricDefinition(
    "joules_per_correct_answer_ratio_bound",
    "… with the meters' bounds",
    "1",
    r"[(E_\mathrm{lo} / n)_B / (E_\mathrm{hi} / n)_A, (E_\mathrm{hi} / n)_B / (E_\mathrm{lo} / n)_A]",
    ("joules_per_correct_answer_bound",),
    ("joules_per_correct_answer of a run is withheld", _NOT_COMPARED, "the meter's lower bound is 0 J"),
    "what both meters together can have missed; no statistics over items. Of runs that share a part w of "
    "their requests: each shared item's own bound, and w of the bound of what belongs to no item; no bound "
    "where requests of such runs overlapped",
)
PER_REQUEST = _ratio(
    "joules_per_request", "Energy per request, B / A", r"E / n_\mathrm{requests}", _NOT_COMPARED
)
PER_TOKEN = _ratio(
    "joules_per_token", "Energy per output token, B / A", r"E / n_\mathrm{tokens}", _NOT_COMPARED,
    "the runs asked different tasks",
)  # fmt: skip
TOKENS_EACH = MetricDefinition(
    "completion_tokens_ratio",
    "Output tokens per request, B / A",
    "1",
    r"(n_\mathrm{tokens} / n_\mathrm{requests})_B / (n_\mathrm{tokens} / n_\mathrm{requests})_A",
    ("mean_completion_tokens",),
    ("mean_completion_tokens of a run is withheld", "the runs asked different tasks"),
    f"joules_per_request_ratio = joules_per_token_ratio × this; {_INTERVAL}",
)
THROUGHPUT = _ratio(
    "tokens_per_second", "Output tokens per second, B / A", r"n_\mathrm{tokens} / t",
    "the measuring client of a run did not keep up",
)  # fmt: skip
TTFT = MetricDefinition(
    "ttft_p50_ratio",
    "Median time to first token, B / A",
    "1",
    r"\mathrm{ttft}_{50,B} / \mathrm{ttft}_{50,A}",
    ("ttft",),
    ("ttft of a run is withheld", "the measuring client of a run did not keep up"),
    "answered requests of the compared items; interval as of the others, where items were not repeated",
)
CPU_PER_CORRECT = _ratio(
    "cpu_seconds_per_correct_answer",
    "Processor time per correct answer, B / A",
    r"t_\mathrm{cpu} / n_\mathrm{correct}",
    "the runs were made on different processors",
)
ACCURACY = MetricDefinition(
    "accuracy_difference_pp",
    "Accuracy, B − A",
    POINTS,
    r"100\,(\mathrm{accuracy}_B - \mathrm{accuracy}_A)",
    ("accuracy",),
    ("accuracy of a run is withheld",),
    "interval: R. G. Newcombe (1998), method 10, of paired proportions, or of independent ones where the "
    "runs are not paired; repeats of an item count as one trial",
)
SCORES = MetricDefinition(
    "mean_score_difference",
    "Mean score, B − A",
    "1",
    r"\bar s_B - \bar s_A",
    ("mean_score",),
    ("mean_score of a run is withheld", "no item has a score in both of two paired runs"),
    "bootstrap by item, 10,000 resamples, 95 %; of paired runs over the items that have a score in both, "
    "each with its mean over repeats",
)
DEFINITIONS = (
    PER_CORRECT,
    PER_CORRECT_BOUND,
    ACCURACY,
    SCORES,
    PER_REQUEST,
    PER_TOKEN,
    TOKENS_EACH,
    THROUGHPUT,
    TTFT,
    CPU_PER_CORRECT,
)
