"""Definitions of the figures of an operating point, and of what a recommendation makes of several."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition

_STEADY = "of a loaded run in its steady state, of one that asked one request at a time over all of it"
_NO_FIGURE = "the run's figure is withheld, or the published row has none"
_NO_PICK = "no configuration meets the limits"
_DOUBTED = "the run's client was too busy, its meters contradict each other, or others used the engine"

ENERGY = MetricDefinition(
    "energy_j",
    "Point: energy per request (image, video)",
    "J",
    r"E / n",
    (
        "joules_per_request",
        "steady_joules_per_request",
        "joules_per_image",
        "joules_per_video",
        "published.energy_j",
    ),
    (_NO_PICK, _NO_FIGURE, _DOUBTED),
    f"{_STEADY}; of all devices together; interval: the confidence interval together with the meter's bound",
)
PER_CORRECT = MetricDefinition(
    "joules_per_correct",
    "Point: energy per correct answer",
    "J",
    r"E / n_\mathrm{correct}",
    (
        "joules_per_correct_answer",
        "steady_joules_per_correct_answer",
        "published.energy_j",
        "published.accuracy",
    ),
    (_NO_PICK, _NO_FIGURE, _DOUBTED),
    f"{_STEADY}; of a published row energy over accuracy",
)
THROUGHPUT = MetricDefinition(
    "throughput",
    "Point: requests (images, videos) a second",
    "1/s",
    r"n / t",
    (
        "steady_requests_per_second",
        "media_per_second",
        "windows",
        "published.tokens_per_second",
        "published.mean_completion_tokens",
        "published.mean_batch",
        "published.latency_s",
    ),
    (_NO_PICK, _NO_FIGURE, _DOUBTED),
    f"{_STEADY}; of a published row tokens a second over tokens a request, else the batch over its time",
)
PER_WATT = MetricDefinition(
    "throughput_per_watt",
    "Point: output tokens (images, videos) per joule",
    "tokens/J",
    r"(n_\mathrm{tokens} / t) / \bar P",
    ("tokens_per_second", "throughput", "mean_power_w"),
    (_NO_PICK, "the speed or the power is withheld", "the mean power is not above zero"),
    "a rate over a power is a number per joule; prompt processing is inside; of media their number",
)
TDP_ENERGY = MetricDefinition(
    "tdp_energy_j",
    "Point: energy by rated power, modelled",
    "J",
    r"P_\mathrm{rated} \cdot n_\mathrm{devices} / \mathrm{throughput}",
    ("throughput", "devices.name", "published.device", "published.n_devices"),
    (
        _NO_PICK,
        "the device or its rated power is not known",
        "the throughput is withheld",
        "the model ran on no board",
    ),
    "the usual estimate, with the makers' data sheets: modelled, shown beside what was measured and never "
    "ranked or added",
)
TDP_RATIO = MetricDefinition(
    "tdp_ratio",
    "Point: rated power over measured",
    "1",
    r"E_\mathrm{rated} / E",
    ("tdp_energy_j", "energy_j"),
    (_NO_PICK, "either energy is withheld", "the measured energy is zero"),
    "how many times the measured energy the estimate is: what measuring corrects",
)
USD = MetricDefinition(
    "usd",
    "Point: cost per request (image, video)",
    "USD",
    r"E / n \cdot r \cdot \mathrm{PUE}",
    ("energy_j", "rates.usd_per_kwh", "rates.tariff", "rates.pue", "usd_per_request"),
    (_NO_PICK, "no price was given", "the energy is withheld"),
    "as usd_per_request; of a published row its energy at the declared tariff",
)
GCO2E = MetricDefinition(
    "gco2e",
    "Point: CO2e per request (image, video)",
    "gCO2e",
    r"E / n \cdot g \cdot \mathrm{PUE}",
    ("energy_j", "rates.gco2e_per_kwh", "rates.grid_series", "rates.pue"),
    (_NO_PICK, "no grid intensity was given", "the energy is withheld"),
    "as gco2e_per_request: operational alone",
)
TPOT = MetricDefinition(
    "tpot_s",
    "Pick: mean time per output token after the first",
    "s",
    r"\frac{1}{n} \sum_i \mathrm{TPOT}_i",
    ("tpot", "published.latency_s"),
    (_NO_PICK, _NO_FIGURE, "too many requests failed for a mean", "the answers were not streamed"),
    f"{_STEADY}; a mean over requests, failed ones left out; a published row has a definition of its own",
)
LATENCY = MetricDefinition(
    "latency_s",
    "Pick: mean end-to-end latency",
    "s",
    r"\frac{1}{n} \sum_i \mathrm{E2EL}_i",
    ("e2el", "batch_latency_s", "published.latency_s"),
    (_NO_PICK, _NO_FIGURE, "too many requests failed for a mean"),
    f"{_STEADY}; of media the mean time of a batch",
)
SAVING = MetricDefinition(
    "saving_fraction",
    "Pick: saving against the fastest",
    "1",
    r"1 - c_\mathrm{pick} / c_\mathrm{fastest}",
    ("energy_j", "joules_per_correct"),
    (_NO_PICK, "no configuration has the latency that tells the fastest", "the other's figure is zero"),
    "c is the objective; negative where the pick costs more; interval: of the ratio on a logarithmic scale, "
    "sides in quadrature for two confidence intervals, in full where one is a bound",
)
DEVICES = MetricDefinition(
    "n_devices",
    "Pick: devices",
    "1",
    r"n_\mathrm{devices}",
    ("devices.name", "published.n_devices"),
    (_NO_PICK, "it is not told"),
    "boards that the model ran on, or as published",
)
RANKED = MetricDefinition(
    "n_ranked",
    "Configurations that were ranked",
    "1",
    r"n_\mathrm{ranked}",
    ("energy_j", "joules_per_correct"),
    (),
    "those that may be compared and have the objective; the others are listed with why they are left out",
)
MET = MetricDefinition(
    "n_met",
    "Configurations that meet the limits",
    "1",
    r"n_\mathrm{met}",
    ("energy_j", "joules_per_correct"),
    (),
    "of those that were ranked; a withheld figure meets no limit",
)
DEFINITIONS = (
    ENERGY,
    PER_CORRECT,
    THROUGHPUT,
    PER_WATT,
    TDP_ENERGY,
    TDP_RATIO,
    USD,
    GCO2E,
    TPOT,
    LATENCY,
    SAVING,
    DEVICES,
    RANKED,
    MET,
)
