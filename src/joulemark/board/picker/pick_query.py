"""The parameters of the picker's API: the fields of a question, each a text as a form would send it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from joulemark.board.picker.question import LONGEST

Text = Annotated[str, Field(max_length=200)]
_LENGTH = "Tokens: `1200`, or `1200±400` (also `1200+-400`) where single requests vary."
_TIME = "The most that the mean may be: `500ms`, `5s`. With `_p50` to `_p99`: a percentile of the run."


class PickQuery(BaseModel):
    """A question, as the form of `/pick` asks it and `joulemark pick` has it as options."""

    model_config = ConfigDict(extra="forbid")

    prompt_tokens: Text = Field("", description=f"How long prompts are. {_LENGTH}")
    completion_tokens: Text = Field("", description=f"How long answers are. {_LENGTH}")
    sample: Annotated[str, Field(max_length=LONGEST["sample"])] = Field(
        "", description="Requests as JSON lines with token counts or texts, or one pasted prompt."
    )
    characters_per_token: Text = Field("", description="For a sample of texts: what a token is taken to be.")
    requests_per_day: Text = Field("", description="How many come a day; without it no figures of a day.")
    hardware: Text = Field("", description="Words of the device's name.")
    model: Text = Field("", description="Words of the model's name.")
    task: Text = Field("", description="Words of the task whose accuracy counts.")
    min_accuracy: Text = Field("", description="The least accuracy, 0 to 1.")
    max_ttft: Text = Field("", description=f"Time to the first token. {_TIME}")
    max_ttft_p50: Text = ""
    max_ttft_p90: Text = ""
    max_ttft_p95: Text = ""
    max_ttft_p99: Text = ""
    max_tpot: Text = Field("", description=f"Time per output token. {_TIME}")
    max_tpot_p50: Text = ""
    max_tpot_p90: Text = ""
    max_tpot_p95: Text = ""
    max_tpot_p99: Text = ""
    max_latency: Text = Field("", description=f"Time of the whole answer. {_TIME}")
    max_latency_p50: Text = ""
    max_latency_p90: Text = ""
    max_latency_p95: Text = ""
    max_latency_p99: Text = ""
    limit: Text = Field("", description="Other limits: `itl_p99=50ms; tokens_per_second=500`.")
    budget: Text = Field("", description="The most a day: `$5/day; 2kWh/day; 1kg/day`.")
    budget_of: Text = Field("", description="`day` (with standby, the default) or `requests`.")
    by: Text = Field("", description="What to make small: `joules_per_correct` (the default), `joules`, …")
    zone: Text = Field("", description="The grid's zone: `FRA`, `DE`, `US-CA`, `WORLD`.")
    usd_per_kwh: Text = Field("", description="The price of electricity.")
    gco2e_per_kwh: Text = Field("", description="The grid's intensity, instead of a zone.")
    pue: Text = Field("", description="What the building adds; 1 unless said.")
    rung: Text = Field("", description="The lowest rung of trust that may answer: 0 (all) to 6.")
