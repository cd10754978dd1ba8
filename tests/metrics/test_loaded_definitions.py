"""What is written of the loaded figures is what is computed, also where requests fail."""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from doubles import steady_runs
from joulemark.metrics import foreign_load, steady_state, steady_window, token_course
from joulemark.metrics import loaded_definitions as defined
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B

N, LEAD = 332, 32
FAILED = 67
LOAD_PAGE = Path(__file__).parents[2] / "docs" / "load.md"


@cache
def failing() -> RunView:
    """Return a loaded run of which some counted requests failed half way: their tokens were seen."""
    config = ServerConfig(H100, LLAMA_8B, max_batch=16)
    right = np.random.default_rng(8).random(N) < 0.7
    view = steady_runs.closed(config, draw_requests(N, 300, 80, 5), 16, lead=LEAD, right=right).view
    items = tuple(
        dataclasses.replace(item, verdict=Verdict.FAILED, correct=False, score=None)
        if LEAD <= item.index < LEAD + FAILED
        else item
        for item in view.items
    )
    return dataclasses.replace(view, items=items)


def evaluated(definition: MetricDefinition, view: RunView) -> float:
    """Return what a definition's formula gives, from the run alone."""
    counted, state = view.measured_items, view.steady
    symbols = {
        r"E_\mathrm{steady}": state.energy.joules,
        r"T_\mathrm{steady}": state.window.tokens,
        r"\sum_i n_{\mathrm{completion},i}": sum(item.completion_tokens for item in counted),
        r"n_\mathrm{answered}": sum(not item.failed for item in counted),
        r"n_\mathrm{correct}": sum(item.correct for item in counted),
        r"\cdot": "*",
    }
    formula = definition.latex
    for symbol, value in symbols.items():
        formula = formula.replace(symbol, str(value))
    assert re.fullmatch(r"[-+*/(). 0-9]+", formula), f"what is {formula}?"
    return float(eval(formula))


@pytest.mark.parametrize(
    "definition", [defined.PER_CORRECT, defined.PER_REQUEST, defined.PER_TOKEN, defined.MEAN_TOKENS]
)
def test_the_formula_that_is_written_is_the_one_that_is_computed(definition: MetricDefinition) -> None:
    assert sum(item.failed for item in failing().measured_items) == FAILED
    assert loaded_figures(failing())[definition.name].value == pytest.approx(evaluated(definition, failing()))


def test_an_interval_is_said_to_be_made_as_it_is() -> None:
    for definition in (defined.POWER, defined.REQUESTS_PER_S, defined.TOKENS_PER_S):
        assert "batch means over" in definition.source
    assert "ratio estimator over" in defined.PER_TOKEN.source
    for definition in (defined.PER_REQUEST, defined.PER_CORRECT):
        assert "delta method" in definition.source


def test_the_page_lists_every_reason_for_which_there_is_no_steady_state() -> None:
    sources = "".join(map(inspect.getsource, (steady_window, steady_state, foreign_load, token_course)))
    reasons = {Reason[name].value for name in re.findall(r"\bReason\.([A-Z_]+)", sources)}
    section = LOAD_PAGE.read_text().partition("### Where there is no steady state")[2].partition("\n###")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == reasons
