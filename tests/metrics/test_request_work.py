"""What counts as work of a load in which requests failed."""

import dataclasses

import pytest

from doubles.made_up_loads import closed_loop, load_of
from joulemark.metrics.request_work import Work, work_of
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Verdict
from joulemark.record.reason import Reason


def test_one_lead_request_that_failed_takes_nothing_away():
    items = closed_loop(4, 60, lambda k: 1.0 + 0.1 * (k % 3), lead=8)
    gone = dataclasses.replace(
        items[3],
        verdict=None,
        prompt_tokens=None,
        completion_tokens=None,
        t_first=None,
        t_first_answer=None,
        attempts=(Attempt(items[3].t_sent, items[3].t_end, "http_503"),),
    )
    assert isinstance(work_of(load_of([*items[:3], gone, *items[4:]])), Work)


@pytest.mark.parametrize(("cut_off", "known"), [(1, True), (2, False)])
def test_prompts_of_requests_that_failed_half_way_may_be_unknown_if_they_are_few(cut_off, known):
    items = [
        dataclasses.replace(one, prompt_tokens=None, verdict=Verdict.FAILED) if k < cut_off else one
        for k, one in enumerate(closed_loop(4, 120, lambda k: 1.0))
    ]
    assert isinstance(work_of(load_of(items)), Work) is known
    answered = [dataclasses.replace(items[0], prompt_tokens=None, verdict=Verdict.CORRECT), *items[cut_off:]]
    refused = work_of(load_of(answered))
    assert isinstance(refused, Withheld)
    assert refused.reason is Reason.NOT_REPORTED
