"""Definitions of what a workload would cost on a configuration, and of how sure a pick is."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition

_NO_MODEL = "the run's cost model is withheld: its reason stands"
_NO_SCALE = "of a published row: it does not say how long its answers were"
_NO_COUNT = "the workload is a text, and the run holds no texts of its own that say what tokens it would be"
_NO_ACCURACY = "the run's accuracy is withheld, or no answer was correct"
_NO_RATE = "no rate was given for it, or one that changes with the time of day"
_NO_DAY = "no requests a day were given"
_NO_TIME = "the run's requests do not tell how long such a request takes"
_NO_IDLE = "no loaded idle of this machine, engine and model is on file (`joulemark calibrate`)"
_OF_MODEL = ("cost_fixed_joules", "cost_joules_per_prompt_token", "cost_joules_per_completion_token")
_LENGTHS = ("workload.prompt_tokens", "workload.completion_tokens")
_ENERGY = (_NO_MODEL, _NO_SCALE, _NO_COUNT, "the cost model prices it at nothing or less")

JOULES = MetricDefinition(
    "workload_joules",
    "Workload: energy per request",
    "J",
    r"e_\mathrm{fixed} + \alpha\, \bar n_\mathrm{prompt} + \beta\, \bar n_\mathrm{completion}",
    (*_OF_MODEL, *_LENGTHS),
    _ENERGY,
    "the run's cost model at the workload's mean lengths: the mean of many requests, without the idle "
    "between them. A coefficient that noise brought below 0 counts as 0, the others refitted (non-negative "
    "least squares; C. Lawson and R. Hanson, Solving Least Squares Problems, chapter 23); the interval stays "
    "that of the free fit. Interval, 95 % by Student's t: covariance of the coefficients, error of the "
    "means of lengths that were sampled, error of transfer where it was tested, what a term for the "
    "context read would change where the run shows one; the meter's bound added in full. Of a published "
    "row: its joules per output token times the output tokens, modelled, without an interval",
)
SINGLE = MetricDefinition(
    "workload_joules_single",
    "Workload: energy of a single request",
    "J",
    r"e_\mathrm{fixed} + \alpha\, n_\mathrm{prompt} + \beta\, n_\mathrm{completion} + \epsilon",
    ("workload_joules", "workload.covariance", "cost_model.residual_sd_j"),
    (*_ENERGY, "of a published row"),
    "as energy per request; the interval holds 95 % of single requests: the spread of their lengths and what "
    "the run's requests deviated by are added",
)
PER_CORRECT = MetricDefinition(
    "workload_joules_per_correct",
    "Workload: energy per correct answer",
    "J",
    r"E_\mathrm{request} / a",
    ("workload_joules", "accuracy"),
    (*_ENERGY, _NO_ACCURACY),
    "the accuracy is that of the run's task, which is named; interval: both intervals joined on a "
    "logarithmic scale (G. Zou and A. Donner, 2008)",
)
USD = MetricDefinition(
    "workload_usd",
    "Workload: cost per request",
    "USD",
    r"E / 3.6 \cdot 10^6 \cdot p_\mathrm{kWh} \cdot \mathrm{PUE} \text{ or } "
    r"\bar n_\mathrm{prompt}\, p_\mathrm{prompt} + \bar n_\mathrm{completion}\, p_\mathrm{completion}",
    ("workload_joules", "rates.usd_per_kwh", "rates.pue", *_LENGTHS),
    (_NO_RATE, "with electricity priced: the energy is withheld"),
    "as `usd_per_request`: electricity for an engine on this machine, token prices for one elsewhere",
)
USD_PER_CORRECT = MetricDefinition(
    "workload_usd_per_correct",
    "Workload: cost per correct answer",
    "USD",
    r"C_\mathrm{request} / a",
    ("workload_usd", "accuracy"),
    (_NO_RATE, "the cost per request is withheld", _NO_ACCURACY),
    "as energy per correct answer",
)
GCO2E = MetricDefinition(
    "workload_gco2e",
    "Workload: CO2e per request",
    "gCO2e",
    r"E / 3.6 \cdot 10^6 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("workload_joules", "rates.gco2e_per_kwh", "rates.pue"),
    (*_ENERGY, _NO_RATE),
    "as `gco2e_per_request`; operational only",
)
GCO2E_PER_CORRECT = MetricDefinition(
    "workload_gco2e_per_correct",
    "Workload: CO2e per correct answer",
    "gCO2e",
    r"G_\mathrm{request} / a",
    ("workload_gco2e", "accuracy"),
    (*_ENERGY, _NO_RATE, _NO_ACCURACY),
    "as energy per correct answer",
)
SECONDS = MetricDefinition(
    "workload_seconds",
    "Workload: time of a request",
    "s",
    r"s_\mathrm{fixed} + s_\mathrm{prompt}\, \bar n_\mathrm{prompt} + s_\mathrm{completion}\, "
    r"\bar n_\mathrm{completion}",
    ("items.t_sent", "items.t_end", *_LENGTHS),
    (_NO_TIME, _NO_COUNT, "of a published row"),
    "least squares over the run's requests, as of the cost model; where that is withheld, their mean, for "
    "workloads whose lengths lie within theirs. Of a loaded run under its load",
)
FIRST = MetricDefinition(
    "workload_ttft_s",
    "Workload: time to the first token",
    "s",
    r"s_\mathrm{fixed} + s_\mathrm{prompt}\, \bar n_\mathrm{prompt}",
    ("items.t_sent", "items.t_first", *_LENGTHS),
    (_NO_TIME, _NO_COUNT, "of a published row", "the run's time to the first token is withheld"),
    "as the time of a request",
)
BUSY = MetricDefinition(
    "workload_busy_share",
    "Workload: share of the day at work",
    "1",
    r"R\, s / (86400\, k)",
    ("workload_seconds", "workload.requests_per_day", "load.concurrency"),
    (_NO_DAY, _NO_TIME, "the run's requests came by chance or by a trace, so how many it takes is not known"),
    "requests a day times their time, with the run's number k in flight; above 1 they do not fit in a day",
)
REQUESTS_KWH = MetricDefinition(
    "workload_requests_kwh_per_day",
    "Workload: energy of its requests per day",
    "kWh/day",
    r"R\, E_\mathrm{request} / 3.6 \cdot 10^6",
    ("workload_joules", "workload.requests_per_day"),
    (_NO_DAY, *_ENERGY),
    "interval: that of the mean times R, and what R single requests deviate by",
)
STANDBY_KWH = MetricDefinition(
    "workload_standby_kwh_per_day",
    "Workload: standby energy per day",
    "kWh/day",
    r"24\, P_\mathrm{loaded\,idle}\, (1 - \mathrm{busy}) / 1000",
    ("baselines.loaded_idle_w", "workload_busy_share"),
    (_NO_DAY, _NO_IDLE, _NO_TIME, "of a published row", "the requests do not fit in a day"),
    "the loaded idle of the calibration for the rest of the day: the idle power while a request runs is in "
    "its own joules",
)
KWH = MetricDefinition(
    "workload_kwh_per_day",
    "Workload: energy per day",
    "kWh/day",
    r"R\, E / 3.6 \cdot 10^6 + 24\, P_\mathrm{loaded\,idle}\, (1 - \mathrm{busy}) / 1000",
    ("workload_requests_kwh_per_day", "workload_standby_kwh_per_day"),
    ("either part of it is withheld",),
    "requests and standby; intervals added in full",
)
USD_DAY = MetricDefinition(
    "workload_usd_per_day",
    "Workload: cost per day",
    "USD/day",
    r"W\, p_\mathrm{kWh}\, \mathrm{PUE} \text{ or } R\, C_\mathrm{request}",
    ("workload_kwh_per_day", "workload_usd", "rates.usd_per_kwh", "rates.pue"),
    (_NO_DAY, _NO_RATE, "with electricity priced: the energy per day is withheld"),
    "with token prices there is no standby to pay for",
)
GCO2E_DAY = MetricDefinition(
    "workload_gco2e_per_day",
    "Workload: CO2e per day",
    "gCO2e/day",
    r"W\, g_\mathrm{grid}\, \mathrm{PUE}",
    ("workload_kwh_per_day", "rates.gco2e_per_kwh", "rates.pue"),
    (_NO_RATE, "the energy per day is withheld"),
    "operational only",
)
PROBABILITY = MetricDefinition(
    "probability_best",
    "Pick: probability of being the best",
    "1",
    r"P(C_i = \min_j C_j)",
    ("workload_joules", "accuracy"),
    ("a figure of the table has no interval", "nothing else may be ranked with it"),
    "10,000 joint draws (on a board 4,000), seeded: coefficients (multivariate t), lengths of a sampled "
    "workload (the same for all), gain, transfer, accuracy (Beta, of as many trials as its interval says); "
    "configurations are independent. Over all that meet the limits; sums to 1",
)
RANK = MetricDefinition(
    "rank_range",
    "Pick: range of ranks",
    "1",
    r"1 + \#\{j : P(C_j < C_i) \ge 0.975\} \ldots n - \#\{j : P(C_i < C_j) \ge 0.975\}",
    ("workload_joules", "accuracy"),
    ("a figure of the table has no interval",),
    "from the same draws, of hundreds of configurations fewer of them: two are told apart where one is "
    "cheaper in 97.5 % of them",
)
DEFINITIONS = (
    JOULES,
    SINGLE,
    PER_CORRECT,
    USD,
    USD_PER_CORRECT,
    GCO2E,
    GCO2E_PER_CORRECT,
    SECONDS,
    FIRST,
    BUSY,
    REQUESTS_KWH,
    STANDBY_KWH,
    KWH,
    USD_DAY,
    GCO2E_DAY,
    PROBABILITY,
    RANK,
)
UNITS = {defined.name: defined.unit for defined in DEFINITIONS}
