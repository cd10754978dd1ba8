"""The queue: jobs in the board's database, taken by workers one at a time.

A worker that holds a job says so now and then (`beat`). One that no longer does has died: its job goes to the
next worker, a limited number of times. Every write of a worker names its claim, so that one that was thought
dead, and comes back, changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, CursorResult, Engine, and_, delete, func, insert, or_, select, text, update
from sqlalchemy.exc import IntegrityError

from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_state import JobState, Progress
from joulemark.board.code_service.secret import Identity
from joulemark.board.code_service.uploads import Upload
from joulemark.board.database.tables import code_jobs, code_results, code_uploads
from joulemark.board.database.times import text_of, utc_now
from joulemark.board.database.writing import transaction
from joulemark.board.refusal import Refused

MAX_WAITING = 200
MAX_ATTEMPTS = 3
LEASE_S = 60.0
_ENDED = f"its worker ended {MAX_ATTEMPTS} times while it ran"


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a worker holds. ``worker``: by which every write of it is known."""

    job_id: str
    worker: str
    options: JobOptions
    upload: bytes
    progress: Progress


def now(connection: Connection) -> str:
    """Return the time by the database's clock, which workers of several machines share."""
    if connection.dialect.name == "postgresql":
        return text_of(connection.execute(text("select clock_timestamp()")).scalar_one())
    return utc_now()


def add(engine: Engine, identity: Identity, options: JobOptions, upload: Upload, request_digest: str) -> bool:
    """Put a job in the queue; false where the same request has done so before.

    Raises `Refused`: 409 where another request had this id, 503 where the queue is full.
    """
    try:
        with transaction(engine) as connection:
            if _is_there(connection, identity, request_digest):
                return False
            if _n_waiting(connection) >= MAX_WAITING:
                raise Refused(
                    503,
                    "the queue is full",
                    f"{MAX_WAITING} evaluations wait",
                    "try again later",
                    headers={"Retry-After": "600"},
                )
            progress = Progress(
                n_samples=upload.n_samples, n_foreign=upload.n_foreign, n_problems=upload.n_problems
            )
            connection.execute(
                insert(code_jobs).values(
                    id=identity.job_id,
                    created_at=now(connection),
                    state=JobState.WAITING,
                    model=options.model,
                    dataset=options.dataset,
                    options=options.model_dump(mode="json"),
                    request_digest=request_digest,
                    secret_hash=identity.secret_hash,
                    progress=progress.model_dump(),
                    attempts=0,
                )
            )
            connection.execute(insert(code_uploads).values(id=identity.job_id, data=upload.data))
    except IntegrityError:  # two of one id at once
        with engine.connect() as connection:
            if not _is_there(connection, identity, request_digest):
                raise
        return False
    return True


def _is_there(connection: Connection, identity: Identity, request_digest: str) -> bool:
    there = connection.execute(
        select(code_jobs.c.request_digest).where(code_jobs.c.id == identity.job_id)
    ).scalar()
    if there is not None and there != request_digest:
        raise Refused(
            409,
            "this Idempotency-Key was used for another request",
            fix="choose a new key for every new request",
        )
    return there is not None


def _n_waiting(connection: Connection) -> int:
    waiting = select(func.count()).select_from(code_jobs).where(code_jobs.c.state == JobState.WAITING)
    return int(connection.execute(waiting).scalar_one())


def claim(engine: Engine, worker: str, datasets: Collection[str], lease_s: float = LEASE_S) -> Claim | None:
    """Take the job that has waited longest, of data sets that are here; null where there is none.

    One that a dead worker held goes first, unless it was taken `MAX_ATTEMPTS` times: then it has failed.
    """
    with transaction(engine) as connection:
        stale = _before(now(connection), lease_s)
        is_lost = and_(code_jobs.c.state == JobState.RUNNING, code_jobs.c.beat_at < stale)
        _give_up(connection, and_(is_lost, code_jobs.c.attempts >= MAX_ATTEMPTS))
        found = connection.execute(
            select(code_jobs.c.id, code_jobs.c.options, code_jobs.c.progress)
            .where(or_(code_jobs.c.state == JobState.WAITING, is_lost))
            .where(code_jobs.c.dataset.in_(sorted(datasets)))
            .order_by(code_jobs.c.created_at, code_jobs.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        ).one_or_none()
        if found is None:
            return None
        connection.execute(
            update(code_jobs)
            .where(code_jobs.c.id == found.id)
            .values(
                state=JobState.RUNNING,
                worker=worker,
                beat_at=now(connection),
                attempts=code_jobs.c.attempts + 1,
            )
        )
        upload = connection.execute(
            select(code_uploads.c.data).where(code_uploads.c.id == found.id)
        ).scalar_one()
        return Claim(
            found.id,
            worker,
            JobOptions.model_validate(found.options),
            bytes(upload),
            Progress.model_validate(found.progress),
        )


def _give_up(connection: Connection, which: Any, why: str = _ENDED) -> None:
    gone = connection.execute(select(code_jobs.c.id).where(which).with_for_update(skip_locked=True)).scalars()
    for job_id in list(gone):
        _end(connection, code_jobs.c.id == job_id, JobState.FAILED, job_id, why=why)


def beat(engine: Engine, held: Claim, progress: Progress) -> bool:
    """Say that a job is being worked on; false where it is no longer this worker's."""
    with transaction(engine) as connection:
        done = connection.execute(
            update(code_jobs)
            .where(_is_held(held))
            .values(beat_at=now(connection), progress=progress.model_dump())
        )
        return _changed(done)


def finish(
    engine: Engine,
    held: Claim,
    progress: Progress,
    standing: Mapping[str, Any],
    result: Mapping[str, Any],
    files: bytes | None,
) -> bool:
    """Store what came of a job, all of it or nothing; false where it is no longer this worker's."""
    with transaction(engine) as connection:
        kept = {"progress": progress.model_dump(), "standing": dict(standing)}
        if not _end(connection, _is_held(held), JobState.DONE, held.job_id, **kept):
            return False
        connection.execute(delete(code_results).where(code_results.c.id == held.job_id))
        connection.execute(insert(code_results).values(id=held.job_id, result=dict(result), files=files))
        return True


def fail(engine: Engine, held: Claim, why: str) -> bool:
    """Say why nothing came of a job; false where it is no longer this worker's."""
    with transaction(engine) as connection:
        return _end(connection, _is_held(held), JobState.FAILED, held.job_id, why=why)


def give_back(engine: Engine, held: Claim, *, counts: bool = False, why: str = _ENDED) -> bool:
    """Let another worker have the job, which goes on where this one stopped if it is the same machine.

    ``counts``: whether this was an attempt that failed, for which there is ``why``; a worker that is told to
    stop has not failed.
    """
    with transaction(engine) as connection:
        done = connection.execute(
            update(code_jobs)
            .where(_is_held(held))
            .values(
                state=JobState.WAITING,
                worker=None,
                beat_at=None,
                attempts=code_jobs.c.attempts - (0 if counts else 1),
            )
        )
        if counts:
            is_mine = and_(code_jobs.c.id == held.job_id, code_jobs.c.state == JobState.WAITING)
            _give_up(connection, and_(is_mine, code_jobs.c.attempts >= MAX_ATTEMPTS), why)
        return _changed(done)


def cancel(engine: Engine, job_id: str) -> None:
    """End a job for its uploader, whatever its state: its programs and its figures are gone."""
    with transaction(engine) as connection:
        _end(connection, code_jobs.c.id == job_id, JobState.CANCELLED, job_id)
        connection.execute(delete(code_results).where(code_results.c.id == job_id))


def place(connection: Connection, job_id: str, created_at: str) -> int:
    """Return the place of a waiting job in the queue, from 1."""
    before = or_(
        code_jobs.c.created_at < created_at,
        and_(code_jobs.c.created_at == created_at, code_jobs.c.id < job_id),
    )
    ahead = (
        select(func.count()).select_from(code_jobs).where(code_jobs.c.state == JobState.WAITING).where(before)
    )
    return int(connection.execute(ahead).scalar_one()) + 1


def _end(connection: Connection, which: Any, state: JobState, job_id: str, **values: Any) -> bool:
    """Give a job its last state and drop its upload; false where ``which`` is no job."""
    ended = {"standing": None, "why": None, **values}
    done = connection.execute(
        update(code_jobs)
        .where(which)
        .values(state=state, finished_at=now(connection), worker=None, beat_at=None, **ended)
    )
    if _changed(done):
        connection.execute(delete(code_uploads).where(code_uploads.c.id == job_id))
        return True
    return False


def _is_held(held: Claim) -> Any:
    return and_(
        code_jobs.c.id == held.job_id,
        code_jobs.c.worker == held.worker,
        code_jobs.c.state == JobState.RUNNING,
    )


def _changed(done: CursorResult[Any]) -> bool:
    return done.rowcount == 1


def _before(moment: str, seconds: float) -> str:
    return text_of(datetime.fromisoformat(moment) - timedelta(seconds=seconds))
