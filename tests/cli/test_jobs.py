"""Suites and tasks named in one command: what is asked, and whether it may be ranked."""

from __future__ import annotations

from typing import Any

import pytest

from joulemark.cli.bench import run
from joulemark.cli.jobs import jobs_of
from joulemark.record.errors import InputError


def choices(**given: Any) -> dict[str, Any]:
    return {**run.make_context("run", ["quick"]).params, **given}


def test_a_suite_is_spelled_out() -> None:
    jobs = jobs_of(["published"], choices(engine_url="http://127.0.0.1:1"))
    assert [(job.task, job.choices["limit"]) for job in jobs] == [
        ("gsm8k_platinum", 25),
        ("mmlu_redux", 50),
        ("ifeval", 25),
    ]
    assert {(job.choices["preset"], job.choices["seed"]) for job in jobs} == {("published", 1234)}
    assert all(job.may_rank for job in jobs)


def test_a_suite_asked_otherwise_is_not_ranked() -> None:
    (first, *_) = jobs_of(["published"], choices(engine_url="http://127.0.0.1:1", limit=3, nonce="x"))
    assert not first.may_rank
    assert first.choices["limit"] == 3
    assert "--nonce" in first.standing
    assert "--limit" in first.standing


def test_standing_of_single_tasks() -> None:
    standing = {job.task: job.may_rank for job in jobs_of(["quick", "gsm8k", "opinionqa"], choices())}
    assert standing == {"quick": False, "gsm8k": True, "opinionqa": False}
    (job,) = jobs_of(["gsm8k"], choices(temperature=0.9))
    assert (job.may_rank, job.standing) == (False, "not ranked: asked with --temperature")


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="your own engine") as error:
        jobs_of(["published"], choices())
    assert "--engine URL" in error.value.fix
    with pytest.raises(InputError, match="built-in model alone"):
        jobs_of(["reference"], choices(engine_url="http://127.0.0.1:1"))
    with pytest.raises(InputError, match="asked twice"):
        jobs_of(["gsm8k", "gsm8k"], choices())
