"""Definitions of the figures of a loaded server in its steady state."""

from __future__ import annotations

from joulemark.metrics import input_aware_fit, loaded_rates, work_slices
from joulemark.metrics.answer_blocks import RENEWALS
from joulemark.metrics.batch_means import MAX_BLOCKS, MIN_BLOCKS
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.occupancy import MAX_HOLD_S
from joulemark.metrics.steady_window import (
    MIN_DURATION_S,
    MIN_REQUESTS,
    MIN_TOKENS,
    MIN_TOKENS_A_PLACE,
)
from joulemark.metrics.token_doubt import WITHHELD_WHEN

_REFUSED = (
    f"no steady state was found: no level was held, overloaded, shorter than {MIN_DURATION_S:.0f} s, fewer "
    f"than {MIN_REQUESTS} requests or fewer than one a place ended in it, fewer than {MIN_TOKENS} tokens or "
    f"{MIN_TOKENS_A_PLACE} a place, or not known how many; or others used the engine in it"
)
_NOT_STEADY = ("requests were asked one at a time", _REFUSED)
_DRIFTS = (
    f"power changed by more than {100 * loaded_rates.MAX_POWER_CHANGE:.0f} % over the window, beyond "
    f"{loaded_rates.BEYOND_SE:.0f} standard errors"
)
_NO_JOULES = "there are no joules"
_COUNTS = ("an answered request has no token count", WITHHELD_WHEN)
_RULE = "ADR 11"


def _interval(of: str = "") -> str:
    return (
        f"interval: batch means{of} over up to {MAX_BLOCKS} blocks no shorter than a request's mean time "
        f"(nor than {RENEWALS} renewals of the meter), Student's t; withheld below {MIN_BLOCKS} blocks"
    )


_OF_SUMS = _interval()
_OF_A_RATIO = _interval(" of a ratio estimator")
_OF_REQUESTS = _interval(" of a ratio estimator, with the sampling of lengths by the delta method,")
_EQUATION = "the published equation (ML.ENERGY Benchmark, 2025)"


def _defined(
    name: str, title: str, unit: str, latex: str, inputs: tuple[str, ...], cases: tuple[str, ...], source: str
) -> MetricDefinition:
    return MetricDefinition(name, title, unit, latex, inputs, (*_NOT_STEADY, *cases), source)


_WINDOW = ("items.t_sent", "items.t_first", "items.t_end", "telemetry.requests_running")
_TOKENS = ("chunks.t_ns", "chunks.tokens", "items.completion_tokens")
_ENERGY = ("telemetry.energy_j", *_TOKENS)
_PER_TOKEN = r"(E_\mathrm{steady} / T_\mathrm{steady})"

PER_CORRECT = _defined(
    "steady_joules_per_correct_answer",
    "Loaded: energy per correct answer",
    "J",
    _PER_TOKEN + r" \cdot \sum_i n_{\mathrm{completion},i} / n_\mathrm{correct}",
    (*_ENERGY, "items.correct"),
    (_NO_JOULES, _DRIFTS, "no answer was correct", "the score is real-valued", *_COUNTS),
    f"{_EQUATION}, over correct answers: they pay for failed requests and wrong answers; {_OF_REQUESTS}",
)
PER_REQUEST = _defined(
    "steady_joules_per_request",
    "Loaded: energy per request",
    "J",
    _PER_TOKEN + r" \cdot \sum_i n_{\mathrm{completion},i} / n_\mathrm{answered}",
    _ENERGY,
    (_NO_JOULES, _DRIFTS, *_COUNTS),
    f"{_EQUATION}; answered requests pay for what was seen of failed ones; {_OF_REQUESTS}",
)
PER_REQUEST_BOUND = _defined(
    "steady_joules_per_request_bound",
    "… with the meter's bound",
    "J",
    r"([E_\mathrm{lo}, E_\mathrm{hi}] / T_\mathrm{steady})"
    r" \cdot \sum_i n_{\mathrm{completion},i} / n_\mathrm{answered}",
    _ENERGY,
    (_NO_JOULES, _DRIFTS, *_COUNTS),
    "the meter's bound (to hold in at least 99 % of cases); no statistics over requests",
)
PER_TOKEN = _defined(
    "steady_joules_per_token",
    "Loaded: energy per output token",
    "J",
    r"E_\mathrm{steady} / T_\mathrm{steady}",
    _ENERGY,
    (_NO_JOULES, _DRIFTS, *_COUNTS),
    f"prompt processing is inside the numerator; {_OF_A_RATIO}",
)
ENERGY = _defined(
    "steady_joules",
    "Loaded: energy of the steady window",
    "J",
    r"E_\mathrm{steady}",
    ("telemetry.energy_j",),
    (_NO_JOULES,),
    "metered over the whole window by one reading; interval: the meter's bound",
)
POWER = _defined(
    "steady_power_w",
    "Loaded: mean power",
    "W",
    r"E_\mathrm{steady} / t_\mathrm{steady}",
    ("telemetry.energy_j",),
    (_NO_JOULES,),
    f"over the steady window; {_OF_SUMS}",
)
POWER_CHANGE = _defined(
    "steady_power_change_pct",
    "Loaded: change of power over the window",
    "%",
    r"100\,K\,b / \bar P",
    ("telemetry.energy_j",),
    (_NO_JOULES, f"the window holds fewer than {MIN_BLOCKS} blocks"),
    f"{_RULE}: b is the slope a block of a line through the mean powers of K blocks",
)
REQUESTS_PER_S = _defined(
    "steady_requests_per_second",
    "Loaded: requests per second",
    "1/s",
    r"n_\mathrm{answered} / t_\mathrm{steady}",
    ("items.t_end", "items.verdict"),
    (),
    f"requests that were answered in the steady window, lead requests too; {_OF_SUMS}",
)
TOKENS_PER_S = _defined(
    "steady_tokens_per_second",
    "Loaded: output tokens per second",
    "tokens/s",
    r"T_\mathrm{steady} / t_\mathrm{steady}",
    _TOKENS,
    _COUNTS,
    f"a chunk's tokens count as made evenly since the chunk before it; {_OF_SUMS}",
)
MEAN_TOKENS = _defined(
    "steady_completion_tokens",
    "Loaded: output tokens per answered request",
    "tokens",
    r"\sum_i n_{\mathrm{completion},i} / n_\mathrm{answered}",
    ("items.completion_tokens",),
    _COUNTS,
    "tokens of the counted requests of the window's segment over those that were answered: what was seen of "
    "failed ones is made, and paid, for these",
)
MEAN_BATCH = _defined(
    "steady_mean_batch",
    "Loaded: mean batch",
    "requests",
    r"\bar n_\mathrm{running}",
    _WINDOW,
    (),
    f"the engine's own gauge where it is read at least every {MAX_HOLD_S:.0f} s, else requests between "
    "first token and end",
)
DURATION = _defined(
    "steady_duration_s", "Loaded: length of the steady window", "s", r"t_\mathrm{steady}", _WINDOW, (), _RULE
)
SHARE = _defined(
    "steady_share_of_run",
    "Loaded: steady part of the measured windows",
    "1",
    r"t_\mathrm{steady} / t",
    (*_WINDOW, "windows"),
    (),
    _RULE,
)
REQUESTS = _defined(
    "steady_requests",
    "Loaded: requests answered in the steady window",
    "requests",
    r"n_\mathrm{answered}",
    ("items.t_end", "items.verdict"),
    (),
    _RULE,
)
TOKENS = _defined(
    "steady_tokens",
    "Loaded: output tokens made in the steady window",
    "tokens",
    r"T_\mathrm{steady}",
    _TOKENS,
    _COUNTS,
    _RULE,
)
_FIT = (
    "block energies by non-negative least squares over seconds at the measured idle power, steps, prompt "
    "tokens, output tokens and (where it shows) context read; the interval by HC3 and Student's t"
)
_FIT_SE = f"{input_aware_fit.BEYOND_SE:.0f} standard errors"
_OPEN_PCT = 100 * input_aware_fit.MAX_OPEN_SHARE
_NO_FIT = (
    "requests were asked one at a time",
    _NO_JOULES,
    "the answers were not streamed, or a count is missing",
    f"fewer than {input_aware_fit.MIN_BLOCKS} blocks of {work_slices.MIN_BLOCK_S:.0f} s",
    f"{_FIT_SE} of what prompts cost are more than {_OPEN_PCT:.0f} % of the energy",
    "prompts and output came in the same mix in every block",
    f"a prompt token's energy is negative by {_FIT_SE}",
)
_LATEX = r"E_b = w\,t_b + s\,S_b + p\,P_b + d\,D_b + c\,C_b"
_WORK = (
    "telemetry.energy_j",
    "items.prompt_tokens",
    "items.cached_tokens",
    *_TOKENS,
    "baselines.loaded_idle_w",
)
PROMPT_TOKEN = MetricDefinition(
    "loaded_joules_per_prompt_token",
    "Loaded: energy per prompt token",
    "J",
    _LATEX + r",\ p",
    _WORK,
    _NO_FIT,
    f"{_RULE}; {_FIT}",
)
OUTPUT_TOKEN = MetricDefinition(
    "loaded_joules_per_output_token",
    "Loaded: energy per output token after the first, prompts apart",
    "J",
    _LATEX + r",\ (s \sum S_b + d \sum D_b + c \sum C_b) / \sum D_b",
    _WORK,
    _NO_FIT,
    f"{_RULE}; {_FIT}",
)
PROMPT_SHARE = MetricDefinition(
    "loaded_prompt_share",
    "Loaded: part of the energy that prompts take",
    "1",
    _LATEX + r",\ p \sum P_b / \sum \hat E_b",
    _WORK,
    _NO_FIT,
    f"{_RULE}; {_FIT}",
)
DEFINITIONS = (
    PER_CORRECT,
    PER_REQUEST,
    PER_REQUEST_BOUND,
    PER_TOKEN,
    ENERGY,
    POWER,
    POWER_CHANGE,
    REQUESTS_PER_S,
    TOKENS_PER_S,
    MEAN_TOKENS,
    MEAN_BATCH,
    DURATION,
    SHARE,
    REQUESTS,
    TOKENS,
    PROMPT_TOKEN,
    OUTPUT_TOKEN,
    PROMPT_SHARE,
)
STEADY = DEFINITIONS[:-3]
"""Those of the steady window; the last three are of all measured windows."""
