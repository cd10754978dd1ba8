"""Suites and tasks named in one command: what is asked, and whether it may be ranked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.cli.bench import run
from joulemark.cli.jobs import jobs_of
from joulemark.record.errors import InputError
from joulemark.runs.standing import AS_THE_TASK_IS, as_the_suite_is
from joulemark.tasks.suites import SUITES

URL = "http://127.0.0.1:1"


def options(**given: Any) -> dict[str, Any]:
    return {**run.make_context("run", ["quick"]).params, **given}


def test_a_suite_is_spelled_out() -> None:
    jobs = jobs_of(["published"], options(engine_url=URL))
    assert [(job.name, job.options["limit"]) for job in jobs] == [
        ("gsm8k_platinum", 25),
        ("mmlu_redux", 50),
        ("ifeval", 25),
    ]
    assert {(job.options["preset"], job.options["seed"]) for job in jobs} == {("published", 1234)}
    assert all(job.standing.may_rank for job in jobs)


def test_what_the_suite_has_itself_changes_nothing() -> None:
    same = options(engine_url=URL, seed=1234, preset="published")
    assert all(job.standing.may_rank for job in jobs_of(["published"], same))


OTHERWISE: dict[str, Any] = {
    "data": Path("mine"),
    "revision": "abc",
    "split": "dev",
    "subset_key": "lucky",
    "nonce": "x",
    "items": Path("mine"),
    "shots": 3,
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 10,
    "concurrency": 32,
    "limit": 3,
    "preset": "default",
    "seed": 7,
    "repeat": 2,
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_suite_asked_otherwise_is_not_ranked(name: str) -> None:
    for job in jobs_of(["published"], options(engine_url=URL, **{name: OTHERWISE[name]})):
        assert not job.standing.may_rank
        assert f"--{name.replace('_', '-')}" in job.standing.why
        assert job.options[name] == OTHERWISE[name]


def test_every_option_is_either_the_suites_or_indifferent() -> None:
    """A new option must be put on one side: what decides the questions, or what may differ in a ranking."""
    fixed = as_the_suite_is(SUITES["published"], SUITES["published"].parts[0]).keys()
    assert fixed == OTHERWISE.keys()
    indifferent = {"names", "engine_url", "model", "api_key_env", "threads", "n_ctx", "retries", "timeout_s"}
    indifferent |= {"meters", "engine_pid", "boards", "max_temperature", "out", "runs_dir", "as_json"}
    indifferent |= {"usd_per_kwh", "price", "gco2e_per_kwh", "zone", "pue", "grid_series", "tariff"}
    indifferent |= {"embodied_kg", "lifetime_years", "no_measure"}
    indifferent |= {"stops"}  # a run that a rule did end is marked as not ranked then
    assert {option.name for option in run.params} == fixed | indifferent


def test_standing_of_single_tasks() -> None:
    jobs = jobs_of(["quick", "gsm8k", "opinionqa"], options())
    assert {job.name: job.standing.may_rank for job in jobs} == {
        "quick": False,
        "gsm8k": True,
        "opinionqa": False,
    }
    for name in AS_THE_TASK_IS:
        (job,) = jobs_of(["gsm8k"], options(**{name: OTHERWISE[name]}))
        assert not job.standing.may_rank, name


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="your own engine") as error:
        jobs_of(["published"], options())
    assert "--engine URL" in error.value.fix
    with pytest.raises(InputError, match="built-in model alone"):
        jobs_of(["reference"], options(engine_url=URL))
    with pytest.raises(InputError, match="gsm8k would be asked twice"):
        jobs_of(["gsm8k", "gsm8k"], options())
    (job,) = jobs_of(["gsm8k"], options(data=tmp_path / "one.jsonl"))
    with pytest.raises(InputError, match="one file for several tasks"):
        job.task_set(several=True)


def test_each_of_several_tasks_reads_its_own_entry(tmp_path: Path) -> None:
    (tmp_path / "gsm8k.jsonl").write_text('{"question": "What is 1 plus 1?", "answer": "#### 2"}')
    folder = tmp_path / "svamp"
    folder.mkdir()
    row = '{"ID": "a", "Body": "Two pears.", "Question": "How many?", "Answer": 2.0}'
    (folder / "test.json").write_text(f"[{row}]")
    jobs = jobs_of(["gsm8k", "svamp"], options(data=tmp_path))
    assert [len(job.task_set(several=True).questions) for job in jobs] == [1, 1]
