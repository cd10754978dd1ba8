"""Warnings that come from the answers and the machine themselves."""

import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.compare import compare
from joulemark.metrics.token_doubt import is_token_doubt
from joulemark.record.item import Chunk
from joulemark.record.reason import Reason

ON_TOKENS = (
    "joules_per_token",
    "tokens_per_second",
    "decode_tokens_per_second",
    "mean_completion_tokens",
    "mean_prompt_tokens",
)


def _caveat(view, code):
    return next((c for c in summarize(view).caveats if c.code == code), None)


def _doubted(view, n, sentence="{k} events with output, but only 3 completion tokens", counts=None):
    """Return the run with doubt on its first ``n`` items; ``counts``: tokens of these, of the others."""
    items = tuple(
        dataclasses.replace(one, suspect=(sentence.format(k=k + 9),)) if k < n else one
        for k, one in enumerate(view.measured_items)
    )
    if counts is not None:
        items = tuple(dataclasses.replace(one, completion_tokens=counts[not one.suspect]) for one in items)
    return dataclasses.replace(view, items=items)


@pytest.mark.parametrize(
    ("n", "loud", "gone"),
    [(1, False, False), (6, False, False), (7, True, False), (30, True, False), (31, True, True)],
)
def test_contradicted_token_counts_are_told_and_withhold_their_figures(n, loud, gone):
    view = _doubted(run_views.with_counter(60), n, counts=(1, 100))
    caveat = _caveat(view, "suspect_answers")
    assert caveat.loud == loud
    assert f"{n} of 60 answers" in caveat.text
    assert "9 events with output, but only 3 completion tokens" in caveat.text
    assert ("are withheld" in caveat.text) == gone
    summary = summarize(view)
    for name in ON_TOKENS:
        assert (summary.figures[name].value is None) == gone, name
        if gone:
            assert summary.figures[name].reason is Reason.NOT_REPORTED
            assert summary.figures[name].detail == "The engine's token counts contradict what was seen."
    assert (summary.latency["tpot"].answered[50].value is None) == gone
    assert summary.latency["ttft"].answered[50].value is not None
    assert summary.figures["joules_per_correct_answer"].value is not None


def test_nothing_suspect_is_not_spoken_of():
    assert _caveat(run_views.with_counter(), "suspect_answers") is None


@pytest.mark.parametrize(
    "sentence",
    [
        "an event could not be decoded",
        "total_tokens differs by one from prompt and completion",
        "cached_tokens exceeds prompt_tokens",
        "0 prompt tokens",
    ],
)
def test_doubts_that_leave_output_tokens_standing_are_quiet(sentence):
    view = _doubted(run_views.with_counter(), 60, sentence)
    assert not _caveat(view, "suspect_answers").loud
    assert sentence in _caveat(view, "suspect_answers").text
    assert summarize(view).figures["joules_per_token"].value is not None


def test_which_sentences_are_about_output_tokens():
    assert is_token_doubt("96 completion tokens were reported, and 32 were allowed")
    assert is_token_doubt("total_tokens is less than prompt and completion")
    assert not is_token_doubt("usage is no object")


def _whole(view, n):
    chunks = dict(view.chunks)
    for one in view.measured_items[:n]:
        chunks[one.key] = tuple(Chunk(one.t_first, 1, k > 0) for k in range(9))
    return dataclasses.replace(view, chunks=chunks)


def test_answers_in_one_piece_are_told_and_have_no_decode_speed():
    view = run_views.with_counter(20)
    assert "time to first token is the whole answer" in _caveat(_whole(view, 11), "one_piece").text
    assert _caveat(_whole(view, 10), "one_piece") is None
    summary = summarize(_whole(view, 20))
    assert summary.figures["decode_tokens_per_second"].reason is Reason.COALESCED
    assert summary.latency["tpot"].answered[50].reason is Reason.COALESCED
    assert summarize(_whole(view, 11)).figures["decode_tokens_per_second"].n == 9


def test_one_word_answers_are_no_pieces():
    view = _whole(run_views.with_counter(20), 20)
    words = tuple(dataclasses.replace(one, completion_tokens=2) for one in view.items)
    assert _caveat(dataclasses.replace(view, items=words), "one_piece") is None


def test_a_busy_machine_is_told_loudly():
    view = run_views.without_meter()
    assert _caveat(view, "busy_machine") is None
    quiet = dataclasses.replace(view, foreign_cpu_share=0.05, stolen_cpu_share=0.0)
    assert _caveat(quiet, "busy_machine") is None
    busy = dataclasses.replace(view, foreign_cpu_share=0.31, stolen_cpu_share=0.0)
    caveat = _caveat(busy, "busy_machine")
    assert caveat.loud
    assert caveat.text.startswith("Other processes used 31 % of the processor: latencies and processor")
    assert "hypervisor" not in caveat.text
    stolen = dataclasses.replace(view, foreign_cpu_share=0.0, stolen_cpu_share=0.12)
    assert _caveat(stolen, "busy_machine").text.startswith("The hypervisor took 12 %")


def test_shares_of_the_machine_are_figures():
    view = run_views.without_meter()
    busy = dataclasses.replace(view, foreign_cpu_share=0.31, stolen_cpu_share=0.0)
    document = summarize(busy).to_json()
    assert (document["foreign_cpu_share"], document["stolen_cpu_share"]) == (0.31, 0.0)
    unknown = summarize(view).to_json()
    assert unknown["foreign_cpu_share"] is None
    assert unknown["reasons"]["stolen_cpu_share"]["code"] == "cpu_not_observed"


@pytest.mark.parametrize("metered", [True, False])
def test_an_item_that_holds_a_large_share_is_named(metered):
    view = run_views.with_counter(12) if metered else run_views.without_meter(12)
    big = view.measured_items[4].key
    if metered:
        rows = tuple(
            dataclasses.replace(row, joules=view.headline_energy.joules * 0.4, lo=None, hi=None)
            if (row.item_id, row.repeat) == big
            else row
            for row in view.attributions
        )
        view = dataclasses.replace(view, attributions=rows)
    else:
        cpu = {**view.item_cpu_seconds, big: view.cpu_seconds * 0.4}
        view = dataclasses.replace(view, item_cpu_seconds=cpu)
    text = _caveat(view, "dominant_item").text
    assert big[0] in text
    assert "40 % of the " + ("energy" if metered else "processor time") in text


def test_even_costs_and_few_items_are_not_spoken_of():
    assert _caveat(run_views.with_counter(60), "dominant_item") is None
    assert _caveat(run_views.without_meter(3), "dominant_item") is None


@pytest.mark.parametrize(
    ("tokens", "gone"), [(10**12, True), (100, True), (59, False)], ids=["lie", "2 %", "1 %"]
)
def test_one_doubted_count_that_is_much_of_the_tokens_withholds_their_figures(tokens, gone):
    sentence = "{k} completion tokens were reported, and 8 were allowed"
    view = run_views.priced(
        _doubted(run_views.with_counter(60), 1, sentence, counts=(tokens, 100)),
        usd_per_million_prompt_tokens=1.0,
        usd_per_million_completion_tokens=2.0,
    )
    summary = summarize(view)
    for name in (*ON_TOKENS, "usd_per_request", "usd_per_correct_answer"):
        assert (summary.figures[name].reason is Reason.NOT_REPORTED) == gone, name
    caveat = _caveat(view, "suspect_answers")
    assert (caveat.loud, "are withheld" in caveat.text) == (gone, gone)
    figures = compare(run_views.with_counter(60), view).figures
    for name in ("joules_per_token_ratio", "completion_tokens_ratio", "tokens_per_second_ratio"):
        assert (figures[name].reason is Reason.NOT_REPORTED) == gone, name


def _clocked(view, decode_ns):
    items = tuple(dataclasses.replace(one, engine_decode_ns=decode_ns(one)) for one in view.items)
    return dataclasses.replace(view, items=items)


def test_an_engine_clock_that_is_too_fast_for_what_was_seen_is_told_and_left_out():
    view = run_views.with_counter(20)
    name = "engine_decode_tokens_per_second"
    assert summarize(_clocked(view, lambda one: 100_000)).figures[name].reason is Reason.NOT_REPORTED
    text = _caveat(_clocked(view, lambda one: 100_000), "engine_time").text
    assert text.startswith("In 20 of 20 answers the engine says its output took less than half the time")
    # by its clock somewhat faster than the stream was read
    near = _clocked(view, lambda one: (one.t_end - one.t_first) * 3 // 4)
    assert _caveat(near, "engine_time") is None
    assert summarize(near).figures[name].n == 20
    # what came in one piece, or was not streamed, cannot tell
    for blind in (_whole(view, 20), dataclasses.replace(view, chunks={})):
        assert _caveat(_clocked(blind, lambda one: 3_000_000), "engine_time") is None
    plain = tuple(dataclasses.replace(one, streamed=False) for one in view.items)
    plain = dataclasses.replace(view, items=plain)
    assert _caveat(_clocked(plain, lambda one: 3_000_000), "engine_time") is None


def test_engine_clocks_wrong_in_both_directions_are_told_in_one_sentence():
    view = _clocked(run_views.with_counter(20), lambda one: 100_000 if one.index % 2 else 10**15)
    text = _caveat(view, "engine_time").text
    assert "In 10 of 20 answers the engine says it worked longer than the request took, and in 10 of" in text
