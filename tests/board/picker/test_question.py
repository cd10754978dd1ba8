"""What a form says: read as the command line reads it, and never an exception whatever is typed."""

from __future__ import annotations

import contextlib
import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.board.picker.question import FIELDS, LONGEST, Asked, number, read_question
from joulemark.cli.pick import pick as command
from joulemark.metrics.picking import Bound, Named, Wanted, sampled

ASKED = {"prompt_tokens": "1200±400", "completion_tokens": "300"}
texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["1200±400", "500ms", "$5/day; 2kWh/day", "FRA", "0.7", "1e308", "-1", "NaN", "joules", "3"]
    ),
    st.floats().map(str),
    st.integers().map(str),
)
samples = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.dictionaries(
            st.sampled_from(["prompt_tokens", "completion_tokens", "prompt", "answer", "usage", "messages"]),
            st.one_of(
                st.none(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.none(), max_size=2)
            ),
        ),
        max_size=4,
    ).map(json.dumps),
)


@given(
    st.dictionaries(st.sampled_from([name for name in FIELDS if name != "sample"]), texts),
    st.none() | samples,
)
@settings(max_examples=300, deadline=None)
def test_every_form_is_a_question_or_has_errors(given_: dict[str, str], sample: str | None) -> None:
    found = read_question({**given_, **({} if sample is None else {"sample": sample})})
    assert (found.question is None) == bool(found.errors)
    assert set(found.errors) <= {*FIELDS, ""}
    for name, told in found.errors.items():
        typed = given_.get(name, "").strip()
        if len(typed) > 8 and name != "zone":
            assert typed not in told, "what was typed is not echoed"


@given(st.text(max_size=12) | st.floats().map(str))
def test_a_number_is_one_or_a_sentence(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert 0 <= number(text, 0, 10) <= 10


def read(**asked: str) -> Asked:
    return read_question({**ASKED, **asked})


def test_a_question_says_what_the_options_say() -> None:
    found = read(
        requests_per_day="1,000",
        hardware="H100",
        min_accuracy="0.7",
        max_ttft="500ms",
        max_tpot_p99="0.1s",
        limit="itl_p99=50ms; tokens_per_second=500",
        budget="$5/day; 2kWh/day",
        usd_per_kwh="0.3",
        zone="fr",
        rung="3",
        by="gco2e",
    ).question
    assert found is not None
    assert found.wanted == Wanted(
        "gco2e",
        (
            Named("hardware", "H100"),
            Bound("ttft_mean", 0.5),
            Bound("tpot_p99", 0.1),
            Bound("accuracy", 0.7, at_least=True),
            Bound("itl_p99", 0.05),
            Bound("tokens_per_second", 500.0, at_least=True),
            Bound("workload_usd_per_day", 5.0),
            Bound("workload_kwh_per_day", 2.0),
        ),
    )
    assert (found.workload.prompt_tokens, found.workload.requests_per_day, found.rung) == (1200, 1000, 3)
    assert found.rates.grid_zone == "FRA"


def test_a_budget_of_the_requests_alone() -> None:
    found = read(requests_per_day="10", budget="$5/day", budget_of="requests", usd_per_kwh="1").question
    assert found is not None
    assert found.wanted.constraints == (Bound("workload_usd", 0.5),)


@pytest.mark.parametrize("text", ["1200±400", "1,200", "12x", "", "200000000", "5 +- 2"])
def test_lengths_are_those_of_the_command_line(text: str) -> None:
    done = CliRunner().invoke(command, ["x", "--prompt-tokens", text, "--completion-tokens", "bad"])
    refused = "--prompt-tokens" in done.output
    assert refused == bool("prompt_tokens" in read(prompt_tokens=text or " x").errors)


def test_samples_by_counts_and_by_declared_characters() -> None:
    lines = '{"prompt_tokens": 10, "completion_tokens": 5}\n{"input_tokens": 30, "output_tokens": 15}'
    found = read_question({"sample": lines, "requests_per_day": "7"}).question
    assert found is not None
    assert found.workload == sampled([(10, 5), (30, 15)], 7.0, found.workload.told)
    one = read_question(
        {"sample": "a" * 120, "completion_tokens": "50", "characters_per_token": "4"}
    ).question
    assert one is not None
    assert (one.workload.prompt_tokens, one.workload.completion_tokens) == (30.0, 50.0)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"sample": '{"prompt_tokens": 9}'}, "completion_tokens"),
        ({"sample": '{"prompt_tokens": 9}', "completion_tokens": "5±2"}, "completion_tokens"),
        (
            {"sample": '{"prompt_tokens": 9, "completion_tokens": 1}', "completion_tokens": "5"},
            "completion_tokens",
        ),
        ({"sample": '{"prompt_tokens": 1}\n{"prompt": "x"}', "completion_tokens": "5"}, "sample"),
        ({"sample": "x" * (LONGEST["sample"] + 1), "completion_tokens": "5"}, "sample"),
        ({"sample": '{"prompt_tokens": 999999999999, "completion_tokens": 1}'}, "sample"),
        ({"sample": '{"prompt_tokens":1,"completion_tokens":1},' * 5}, "sample"),
        ({"sample": "[" + '{"prompt_tokens":1},' * 9500 + '{"prompt_tokens":1}]'}, "completion_tokens"),
    ],
)
def test_samples_that_say_too_little_or_too_much(asked: dict[str, str], field: str) -> None:
    assert field in read_question(asked).errors
