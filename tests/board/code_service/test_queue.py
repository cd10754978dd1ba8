"""The queue: who waited longest goes first, a worker that died loses nothing, and changes nothing later."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, select, update

from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_queue import (
    MAX_ATTEMPTS,
    MAX_WAITING,
    Claim,
    add,
    beat,
    cancel,
    claim,
    fail,
    finish,
    give_back,
    place,
)
from joulemark.board.code_service.job_state import JobState, Progress
from joulemark.board.code_service.secret import Identity, identity_of, new_identity
from joulemark.board.code_service.uploads import Upload
from joulemark.board.database.connection import connect
from joulemark.board.database.tables import code_jobs, code_results, code_uploads
from joulemark.board.database.upgrade import upgrade
from joulemark.board.refusal import Refused

UPLOAD = Upload(b"{}\n", 2, 1, 3)
SETS = {"built_in"}
PROGRESS = Progress(n_samples=2, n_foreign=3, n_problems=1, n_done=1)


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    made = connect(database)
    upgrade(made)
    yield made
    made.dispose()


def put(engine: Engine, dataset: str = "built_in") -> str:
    identity = new_identity()
    assert add(engine, identity, JobOptions(model="m", dataset=dataset), UPLOAD, "0" * 64)
    return identity.job_id


def state(engine: Engine, job_id: str) -> tuple[str, int, str | None]:
    with engine.connect() as connection:
        row = connection.execute(select(code_jobs).where(code_jobs.c.id == job_id)).one()
        return row.state, row.attempts, row.why


def taken(engine: Engine, worker: str = "w", lease_s: float = 60.0) -> Claim:
    found = claim(engine, worker, SETS, lease_s)
    assert found is not None
    return found


def worker_dies(engine: Engine) -> None:
    """Let so much time pass that no beat of before counts."""
    with engine.begin() as connection:
        connection.execute(update(code_jobs).values(beat_at="2020-01-01T00:00:00.000000+00:00"))


def kept(engine: Engine) -> tuple[int, int]:
    with engine.connect() as connection:
        return (
            len(connection.execute(select(code_uploads)).all()),
            len(connection.execute(select(code_results)).all()),
        )


def test_the_longest_wait_goes_first_and_places_are_told(engine: Engine) -> None:
    ids = [put(engine) for _ in range(3)]
    with engine.connect() as connection:
        rows = connection.execute(select(code_jobs.c.id, code_jobs.c.created_at)).all()
        places = {row.id: place(connection, row.id, row.created_at) for row in rows}
    assert [places[one] for one in ids] == [1, 2, 3]
    first = taken(engine)
    assert first.job_id == ids[0]
    assert (first.upload, first.progress.n_samples) == (UPLOAD.data, 2)
    assert state(engine, ids[0]) == ("running", 1, None)
    assert taken(engine).job_id == ids[1]


def test_a_worker_takes_only_data_sets_that_it_has(engine: Engine) -> None:
    put(engine, "mbpp")
    assert claim(engine, "w", SETS) is None
    assert claim(engine, "w", {"mbpp", "built_in"}) is not None


def test_a_result_is_stored_with_its_state_and_the_upload_goes(engine: Engine) -> None:
    job_id = put(engine)
    held = taken(engine)
    assert beat(engine, held, PROGRESS)
    assert finish(engine, held, PROGRESS, {"a": 1}, {"b": 2}, b"zip")
    assert state(engine, job_id) == ("done", 1, None)
    assert kept(engine) == (0, 1)
    assert not finish(engine, held, PROGRESS, {}, {}, None)  # once


def test_a_failure_says_why(engine: Engine) -> None:
    job_id = put(engine)
    assert fail(engine, taken(engine), "no sample")
    assert state(engine, job_id) == ("failed", 1, "no sample")
    assert kept(engine) == (0, 0)


def test_the_job_of_a_dead_worker_is_taken_again_and_it_changes_nothing_later(engine: Engine) -> None:
    job_id = put(engine)
    dead = taken(engine, "dead")
    assert claim(engine, "early", SETS) is None  # it still beats
    worker_dies(engine)
    second = taken(engine, "second")
    assert second.job_id == job_id
    assert not beat(engine, dead, PROGRESS)
    assert not fail(engine, dead, "x")
    assert not finish(engine, dead, PROGRESS, {}, {}, None)
    assert not give_back(engine, dead)
    assert state(engine, job_id) == ("running", 2, None)
    assert finish(engine, second, PROGRESS, {}, {}, None)


def test_a_job_that_ends_its_workers_is_given_up(engine: Engine) -> None:
    job_id = put(engine)
    for _ in range(MAX_ATTEMPTS):
        taken(engine)
        worker_dies(engine)
    assert claim(engine, "w", SETS) is None
    found, attempts, why = state(engine, job_id)
    assert (found, attempts) == ("failed", MAX_ATTEMPTS)
    assert why is not None
    assert "3 times" in why


def test_evaluations_that_crash_are_counted_and_a_stop_is_not(engine: Engine) -> None:
    job_id = put(engine)
    for _ in range(5):
        assert give_back(engine, taken(engine))
    assert state(engine, job_id) == ("waiting", 0, None)
    for _ in range(MAX_ATTEMPTS):
        assert give_back(engine, taken(engine), counts=True)
    assert state(engine, job_id)[0] == "failed"


@pytest.mark.parametrize("at", ["waiting", "running", "done", "failed"])
def test_cancelling_deletes_programs_and_figures(engine: Engine, at: str) -> None:
    job_id = put(engine)
    if at != "waiting":
        held = taken(engine)
    if at == "done":
        finish(engine, held, PROGRESS, {"a": 1}, {"b": 2}, b"zip")
    if at == "failed":
        fail(engine, held, "x")
    cancel(engine, job_id)
    assert state(engine, job_id)[0] == "cancelled"
    assert kept(engine) == (0, 0)
    if at == "running":
        assert not beat(engine, held, PROGRESS)
        assert not finish(engine, held, PROGRESS, {}, {}, None)
    assert claim(engine, "w", SETS) is None


def test_no_job_is_taken_twice(engine: Engine) -> None:
    ids = {put(engine) for _ in range(24)}
    found: list[str] = []
    lock = threading.Lock()

    def work(name: str) -> None:
        while (one := claim(engine, name, SETS)) is not None:
            with lock:
                found.append(one.job_id)

    workers = [threading.Thread(target=work, args=(str(k),)) for k in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert sorted(found) == sorted(ids)


def test_one_key_is_one_job(engine: Engine) -> None:
    key = "a key that nobody guesses"
    options = JobOptions(model="m")

    def again(digest: str) -> tuple[Identity, bool]:
        identity = identity_of(key, digest)
        return identity, add(engine, identity, options, UPLOAD, digest)

    first, is_new = again("0" * 64)
    assert is_new
    assert again("0" * 64) == (first, False)
    with pytest.raises(Refused) as found:
        again("1" * 64)
    assert found.value.status == 409
    assert identity_of(key, "1" * 64).secret != first.secret


def test_a_full_queue_takes_no_more(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.board.code_service.job_queue.MAX_WAITING", 2)
    put(engine), put(engine)
    with pytest.raises(Refused) as found:
        put(engine)
    assert found.value.status == 503
    assert found.value.headers["Retry-After"]
    taken(engine)
    put(engine)
    assert MAX_WAITING > 2


def test_a_state_that_has_ended() -> None:
    assert [one for one in JobState if not one.has_ended] == [JobState.WAITING, JobState.RUNNING]
