"""Jobs as they are read: one, several, and what is the uploader's alone."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from sqlalchemy import Connection, Row, func, select

from joulemark.board.code_service.answers import JobJson
from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_queue import place
from joulemark.board.code_service.job_state import JobState, Progress
from joulemark.board.code_service.secret import opens
from joulemark.board.database.tables import code_jobs, code_results
from joulemark.board.refusal import Refused

_MAX_MEMBER_BYTES = 32 << 20  # of memory, for each who asks


def job(connection: Connection, job_id: str, root: str = "", *, with_result: bool = False) -> JobJson:
    """Return a job. Raises `Refused` (404)."""
    row = _row(connection, job_id)
    result = None
    if with_result and row.state == JobState.DONE:
        result = connection.execute(
            select(code_results.c.result).where(code_results.c.id == job_id)
        ).scalar_one_or_none()
    return _told(connection, row, root, result)


def jobs(
    connection: Connection, root: str, *, state: JobState | None, limit: int, offset: int
) -> list[JobJson]:
    """Return jobs, the latest first."""
    asked = select(code_jobs).order_by(code_jobs.c.created_at.desc(), code_jobs.c.id.desc())
    if state is not None:
        asked = asked.where(code_jobs.c.state == state)
    return [_told(connection, row, root) for row in connection.execute(asked.limit(limit).offset(offset))]


def n_in(connection: Connection, state: JobState) -> int:
    """Return how many jobs are in a state."""
    counted = select(func.count()).select_from(code_jobs).where(code_jobs.c.state == state)
    return int(connection.execute(counted).scalar_one())


def require_secret(connection: Connection, job_id: str, secret: str | None) -> None:
    """Raise `Refused`: 404 for no job, 401 without a secret, 403 for another one."""
    row = _row(connection, job_id)
    if not secret:
        raise Refused(
            401,
            "this is the uploader's alone",
            fix="send the job's secret as `Authorization: Bearer SECRET`",
            headers={"WWW-Authenticate": "Bearer"},
        )
    if not opens(secret, row.secret_hash):
        raise Refused(403, "this is not the secret of that job")


def files_of(connection: Connection, job_id: str) -> bytes:
    """Return the raw runs and programs of a job as a zip. Raises `Refused` (404, 409)."""
    found = connection.execute(select(code_results.c.files).where(code_results.c.id == job_id)).one_or_none()
    if found is None:
        raise Refused(409, "the job has no result", "it is not done, or was cancelled")
    if found.files is None:
        raise Refused(404, "its files were not kept", "they are too large")
    return bytes(found.files)


def file_of(connection: Connection, job_id: str, name: str) -> bytes:
    """Return one file of a job's zip. Raises `Refused` (404, 409)."""
    with zipfile.ZipFile(io.BytesIO(files_of(connection, job_id))) as archive:
        if name not in archive.namelist():
            raise Refused(404, "its files were not kept")
        if archive.getinfo(name).file_size > _MAX_MEMBER_BYTES:
            raise Refused(404, "it is too large to be shown", fix="download the files instead")
        return archive.read(name)


def _row(connection: Connection, job_id: str) -> Row[Any]:
    row = connection.execute(select(code_jobs).where(code_jobs.c.id == job_id)).one_or_none()
    if row is None:
        raise Refused(404, "there is no such evaluation")
    return row


def _told(connection: Connection, row: Row[Any], root: str, result: dict[str, Any] | None = None) -> JobJson:
    waits = row.state == JobState.WAITING
    return JobJson(
        id=row.id,
        state=JobState(row.state),
        created_at=row.created_at,
        finished_at=row.finished_at,
        options=JobOptions.model_validate(row.options),
        progress=Progress.model_validate(row.progress),
        attempts=row.attempts,
        place=place(connection, row.id, row.created_at) if waits else None,
        why=row.why,
        page=f"{root}/code/jobs/{row.id}",
        result=result,
    )
