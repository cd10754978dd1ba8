import dataclasses

import numpy as np
import pytest

from doubles import run_views, slow_meter_runs, varied_runs
from joulemark.metrics import summarize
from joulemark.metrics.cost_model import CostModel
from joulemark.record.reason import Reason
from joulemark.report.cost_words import cost_words, equation, fit_words
from joulemark.report.html import render


def _model(**fields):
    return dataclasses.replace(summarize(varied_runs.fitted()).cost_model, **fields)


def test_numbers_are_shown_to_their_error():
    model = _model(
        e_fixed_j=12.123, se_fixed_j=1.4, alpha_j_per_token=0.03141, se_alpha_j_per_token=0.0021,
        beta_j_per_token=0.4249, se_beta_j_per_token=0.013,
    )  # fmt: skip
    assert equation(model) == "E = 12.1 J + 0.0314 J × prompt tokens + 0.425 J × output tokens"


def test_a_negative_coefficient_is_subtracted():
    model = _model(alpha_j_per_token=-0.002, se_alpha_j_per_token=0.0015, e_fixed_j=-1.0, se_fixed_j=2.0)
    assert equation(model).startswith("E = −1.0 J − 0.0020 J × prompt tokens + ")


def test_the_words_hold_terms_fit_and_range():
    view = varied_runs.fitted()
    model = summarize(view).cost_model
    words = cost_words(model, view)
    assert [term.name for term in words.terms] == [
        "cost_fixed_joules",
        "cost_joules_per_prompt_token",
        "cost_joules_per_completion_token",
    ]
    assert model.coefficients[2] == pytest.approx(varied_runs.PER_OUTPUT_TOKEN_J, rel=0.05)
    assert all(" ± " in term.text for term in words.terms)
    assert f"R² {model.r2:.3f}" in words.sentences[0]
    assert "Fitted on 60 of 60 requests" in words.sentences[2]
    assert "60 requests" in fit_words(model)


def test_a_withheld_model_says_why_and_gives_no_number():
    bare = run_views.without_meter()
    words = cost_words(summarize(bare).cost_model, bare)
    assert words.why == Reason.NO_METER.text
    assert (words.equation, words.terms, words.sentences) == ("", (), ())
    lonely = CostModel(reason=Reason.TOO_FEW_ITEMS, detail="Ten are needed.")
    assert fit_words(lonely).endswith("Ten are needed.")


def test_equal_costs_have_no_share_explained():
    assert "R² is not known" in cost_words(_model(r2=None), varied_runs.fitted()).sentences[0]


def test_a_model_of_blocks_says_so_and_draws_no_line_among_other_units():
    rng = np.random.default_rng(4)
    view = slow_meter_runs.view(slow_meter_runs.answers(600, rng, 250.0), rng)
    summary = summarize(view)
    assert summary.cost_model.n_blocks == len(view.blocks.blocks)
    told = f"in {summary.cost_model.n_blocks} blocks"
    words = cost_words(summary.cost_model, view)
    assert told in words.sentences[2]
    assert "the fixed part holds the time between requests" in words.sentences[3]
    assert fit_words(summary.cost_model).endswith(told)
    # items have no joules of their own, so the drawing is in another unit than the model
    assert "fitted cost model" not in render(summary, view)
