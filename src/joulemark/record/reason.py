"""Why a value is missing: the closed vocabulary of reason codes.

A figure that is unknown is null and carries one of these codes, never 0.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """A reason code; ``text`` says it in one sentence for a reader of a report."""

    # energy
    NO_METER = "no_meter"
    NO_METER_ASKED_FOR = "no_meter_asked_for"
    METER_SILENT = "meter_silent"
    METER_NOT_QUALIFIED = "meter_not_qualified"
    COUNTER_RESET = "counter_reset"
    COUNTER_BACKWARDS = "counter_backwards"
    COUNTER_FROZEN = "counter_frozen"
    COUNTER_WRAP_UNKNOWN = "counter_wrap_unknown"
    COUNTER_IMPLAUSIBLE = "counter_implausible"
    POWER_IMPLAUSIBLE = "power_implausible"
    OVER_RANGE = "over_range"
    MACHINE_SLEPT = "machine_slept"
    METER_LOST = "meter_lost"
    SAMPLER_LOST = "sampler_lost"
    NO_SAMPLES = "no_samples"
    GAP_TOO_LONG = "gap_too_long"
    SHORTER_THAN_STEP = "shorter_than_step"
    LESS_THAN_ITS_PART = "less_than_its_part"
    METER_CONTRADICTED = "meter_contradicted"
    OUTSIDE_TIMELINE = "outside_timeline"
    ENGINE_NOT_ON_DEVICE = "engine_not_on_device"
    ENGINE_NOT_VISIBLE = "engine_not_visible"
    ENGINE_REMOTE = "engine_remote"
    SCOPES_DIFFER = "scopes_differ"
    ABANDONED = "abandoned"
    SHARED_DEVICE = "shared_device"
    ALLOCATED = "allocated"
    OVERLAPPED = "overlapped"
    # answers
    NOTHING_CORRECT = "nothing_correct"
    NOTHING_SCORED = "nothing_scored"
    TOO_FEW_ITEMS = "too_few_items"
    TOO_FEW_BLOCKS = "too_few_blocks"
    NO_SPREAD = "no_spread"
    COST_CHANGED = "cost_changed"
    TOO_MANY_EMPTY_RESAMPLES = "too_many_empty_resamples"
    NO_GOLD = "no_gold"
    NO_ANSWER = "no_answer"
    REAL_VALUED_SCORE = "real_valued_score"
    REQUEST_FAILED = "request_failed"
    # time
    NOT_STREAMED = "not_streamed"
    NO_TOKEN_SEEN = "no_token_seen"
    NO_ANSWER_TOKEN_SEEN = "no_answer_token_seen"
    ONE_TOKEN = "one_token"
    COALESCED = "coalesced"
    CHUNK_NOT_TOKEN = "chunk_not_token"
    CLIENT_INVALID = "client_invalid"
    NOT_SCHEDULED = "not_scheduled"
    # tokens and identity
    NOT_REPORTED = "not_reported"
    NOT_MEASURED = "not_measured"
    NOT_APPLICABLE = "not_applicable"
    NOT_PERMITTED = "not_permitted"
    NOT_LOCAL = "not_local"
    ENGINE_UNKNOWN = "engine_unknown"
    CPU_NOT_OBSERVED = "cpu_not_observed"
    SINGLE_RUN = "single_run"
    # models, rates and prices
    NOT_IDENTIFIED = "not_identified"
    NEGATIVE_COST = "negative_cost"
    TOO_SHORT = "too_short"
    NO_PRICE = "no_price"
    NO_GRID_INTENSITY = "no_grid_intensity"
    NO_EMBODIED = "no_embodied"
    RATES_DO_NOT_COVER = "rates_do_not_cover"
    # calibration
    NO_BASELINE = "no_baseline"
    NO_WALL_CALIBRATION = "no_wall_calibration"
    OUTSIDE_CALIBRATION = "outside_calibration"
    # load
    NOT_LOADED = "not_loaded"
    NOT_STEADY = "not_steady"
    TOO_FEW_TOKENS = "too_few_tokens"
    WINDOW_TOO_SHORT = "window_too_short"
    OVERLOADED = "overloaded"
    FOREIGN_LOAD = "foreign_load"
    NOT_GRADED = "not_graded"
    GRADED_LATER = "graded_later"
    NOT_PUBLISHED = "not_published"

    @property
    def text(self) -> str:
        """The reason as a sentence."""
        return _TEXTS[self]


_TEXTS: dict[Reason, str] = {
    Reason.NO_METER: "No energy meter was found on this machine; `joulemark doctor` lists what is missing.",
    Reason.NO_METER_ASKED_FOR: "No meter was asked for (`--meter none`).",
    Reason.METER_SILENT: "The meter that is on file, or was named, did not answer, and there is no other;"
    " `joulemark doctor` says what to do.",
    Reason.METER_NOT_QUALIFIED: "The meter failed its self-test, so its joules are not believed.",
    Reason.COUNTER_RESET: "The energy counter started again from a lower value in this window.",
    Reason.COUNTER_BACKWARDS: "The energy counter went backwards in this window.",
    Reason.COUNTER_FROZEN: "The energy counter stood still while the device was drawing power.",
    Reason.COUNTER_WRAP_UNKNOWN: "The counter wrapped and its range could not be read.",
    Reason.COUNTER_IMPLAUSIBLE: "The counter jumped by more than the device can draw.",
    Reason.POWER_IMPLAUSIBLE: "The power gauge shows more than the device can draw: its unit may be wrong.",
    Reason.OVER_RANGE: "The meter was over its range in this window, and what it clipped is missing.",
    Reason.MACHINE_SLEPT: "The machine was suspended in this window: what was drawn meanwhile is no work's.",
    Reason.METER_LOST: "The meter stopped answering in this window.",
    Reason.SAMPLER_LOST: "The sampler process was gone in this window.",
    Reason.NO_SAMPLES: "The meter gave no sample in this window.",
    Reason.GAP_TOO_LONG: "Two samples of this window lie too far apart to bound what happened between.",
    Reason.SHORTER_THAN_STEP: "The window is too short for the meter: it told too little new in it.",
    Reason.LESS_THAN_ITS_PART: "The meter of the whole says less than a part of it does: it is not believed.",
    Reason.METER_CONTRADICTED: "The meter's counter and its power gauge contradict each other: neither is"
    " believed.",
    Reason.OUTSIDE_TIMELINE: "The window reaches outside the recorded timeline.",
    Reason.ENGINE_NOT_ON_DEVICE: "The engine's process was not seen on the measured device.",
    Reason.ENGINE_NOT_VISIBLE: "Whether the engine runs on the measured device could not be seen.",
    Reason.SCOPES_DIFFER: "The segments of the run were measured on different parts of the machine.",
    Reason.ABANDONED: "The request was in flight when the run was ended.",
    Reason.ENGINE_REMOTE: "The engine runs on another machine, so this machine's meters do not see it.",
    Reason.SHARED_DEVICE: "Other processes used the measured device.",
    Reason.ALLOCATED: "Requests overlapped: this is a share by rule, so no bound belongs to it.",
    Reason.OVERLAPPED: "Requests overlapped, so the share of one of them is not known.",
    Reason.NOT_LOADED: "Requests were asked one at a time: there is no load to speak of.",
    Reason.NOT_STEADY: "The number of requests at work never settled, so there is no steady state.",
    Reason.TOO_FEW_TOKENS: "Too few tokens were made in the steady state to divide its energy by.",
    Reason.WINDOW_TOO_SHORT: "The steady state was too short to say what it costs.",
    Reason.OVERLOADED: "Requests came faster than the engine answered, so that nothing settled.",
    Reason.FOREIGN_LOAD: "Others used the engine in the window, and what they cost is inside its joules: keep"
    " them off it and run again.",
    Reason.NOT_GRADED: "The requests have no right answers, so nothing was graded.",
    Reason.GRADED_LATER: "Not graded yet: answers are programs, and `joulemark code grade RUN` runs them.",
    Reason.NOT_PUBLISHED: "What was published does not say it.",
    Reason.NOTHING_CORRECT: "No answer was correct.",
    Reason.NOTHING_SCORED: "No answer could be scored.",
    Reason.TOO_FEW_ITEMS: "Too few items for an interval.",
    Reason.NO_SPREAD: "All answers so far are the same, which says nothing of those that were not asked.",
    Reason.COST_CHANGED: "What a request costs changed while the run was asked, and may go on to change.",
    Reason.TOO_FEW_BLOCKS: "The meter is too slow for single answers, the run too short for blocks of them.",
    Reason.TOO_MANY_EMPTY_RESAMPLES: "More than 5 % of the resamples hold no correct answer.",
    Reason.NO_GOLD: "The item has no reference answer.",
    Reason.NO_ANSWER: "No answer value was found in the reply.",
    Reason.REAL_VALUED_SCORE: "The score is real-valued, so there is no correct or wrong.",
    Reason.REQUEST_FAILED: "The request failed.",
    Reason.NOT_STREAMED: "The engine did not stream, so nothing between sending and the end was seen.",
    Reason.NO_TOKEN_SEEN: "No generated token was seen in the stream.",
    Reason.NO_ANSWER_TOKEN_SEEN: "The stream held no token of the answer itself.",
    Reason.ONE_TOKEN: "One token has no gap between tokens.",
    Reason.COALESCED: "Several events came in one read, so their gap is the channel's and the client's.",
    Reason.CHUNK_NOT_TOKEN: "A chunk may hold several tokens, so a chunk gap is no inter-token latency.",
    Reason.CLIENT_INVALID: "The measuring client itself did not keep up, so times hold its own delay: free"
    " the processor, or measure from another machine, and measure again.",
    Reason.NOT_SCHEDULED: "Closed-loop requests have no scheduled time.",
    Reason.NOT_REPORTED: "It is not reported.",
    Reason.NOT_MEASURED: "It was not measured.",
    Reason.NOT_APPLICABLE: "Does not apply here.",
    Reason.NOT_PERMITTED: "This user may not read it.",
    Reason.NOT_LOCAL: "The engine is not a process of this machine.",
    Reason.ENGINE_UNKNOWN: "The engine behind the URL could not be told.",
    Reason.CPU_NOT_OBSERVED: "The engine's processor time could not be observed.",
    Reason.SINGLE_RUN: "One run has no spread.",
    Reason.NOT_IDENTIFIED: "The lengths of these prompts and answers do not tell the coefficients apart.",
    Reason.NEGATIVE_COST: "A coefficient is negative beyond its error: the cost is not linear in tokens.",
    Reason.TOO_SHORT: "Too few tokens or too little time for a rate.",
    Reason.NO_PRICE: "No price was given: `--usd-per-kwh` (electricity) or `--price` (tokens) gives one.",
    Reason.NO_GRID_INTENSITY: "No grid intensity was given: `--gco2e-per-kwh` or `--zone` gives one.",
    Reason.NO_EMBODIED: "What making the machine emitted was not given: `--embodied-kg`, `--lifetime-years`.",
    Reason.RATES_DO_NOT_COVER: "For some of the time that was measured no rate is known.",
    Reason.NO_BASELINE: "No idle power of this machine and model is on file: try `joulemark calibrate`.",
    Reason.NO_WALL_CALIBRATION: "No wall calibration is on file: `joulemark calibrate --wall` makes one.",
    Reason.OUTSIDE_CALIBRATION: "The run lies outside what the wall calibration has seen.",
}
