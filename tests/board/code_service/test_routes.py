"""The API: what is taken, what is refused and leaves nothing behind, and what is the uploader's alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from doubles.boards import MODERATOR_KEY, BoardDouble, board
from joulemark.board.code_service.secret import Identity
from joulemark.board.database.tables import code_jobs, code_uploads, model_requests
from joulemark.record.code_run import CodeRun, Outcome, Purpose

JOBS = "/api/v1/code/jobs"
LINES = {"Content-Type": "application/jsonl"}
SAID = "AssertionError: my own words"


def stored(service: BoardDouble) -> tuple[int, ...]:
    with service.engine.connect() as connection:
        return tuple(
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (code_jobs, code_uploads, model_requests)
        )


def post(service: BoardDouble, data: bytes, headers: dict[str, str] | None = None, **fields: Any) -> Any:
    form = {"model": "acme/one-7b", **fields}
    files = {"file": ("../../evil<b>.jsonl", data, "application/octet-stream")}
    return service.client.post(JOBS, data=form, files=files, headers=headers)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_form_and_a_file_alone_make_the_same_job(service: BoardDouble, programs: bytes) -> None:
    by_form = post(service, programs, n_tests=7, timeout_s="2.5", measured="paper")
    asked = f"{JOBS}?model=acme/one-7b&n_tests=7&timeout_s=2.5&measured=paper"
    by_file = service.client.post(asked, content=programs, headers=LINES)
    assert (by_form.status_code, by_file.status_code) == (202, 202)
    one, other = by_form.json(), by_file.json()
    assert (
        one["options"]
        == other["options"]
        == {
            "model": "acme/one-7b",
            "dataset": "built_in",
            "timeout_s": 2.5,
            "n_tests": 7,
            "repeats": 1,
            "measured": "paper",
        }
    )
    assert (one["state"], one["place"], other["place"]) == ("waiting", 1, 2)
    assert one["progress"] == {"n_samples": 3, "n_foreign": 0, "n_problems": 3, "n_done": 0}
    assert one["secret"] != other["secret"]
    told = service.client.get(f"{JOBS}/{one['id']}").json()
    assert "secret" not in told
    listed = service.client.get(JOBS, params={"state": "waiting"}).json()
    assert [job["id"] for job in listed["jobs"]] == [other["id"], one["id"]]
    assert listed["n_waiting"] == 2
    assert service.client.get(JOBS, params={"state": "done"}).json()["jobs"] == []


def test_the_same_request_again_is_one_job(service: BoardDouble, programs: bytes) -> None:
    key = {"Idempotency-Key": "0190b7c2-uuid-like-key"}
    first, again = (post(service, programs, key) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["secret"] == first.json()["secret"]
    assert post(service, programs, key, n_tests=3).status_code == 409
    assert stored(service)[:2] == (1, 1)


FIELDS: dict[str, dict[str, Any]] = {
    "no model": {"model": ""},
    "HTML in the model": {"model": "<script>alert(1)</script>"},
    "a path as the model": {"model": "../../etc/passwd"},
    "a path in the model": {"model": "acme/../../etc"},
    "a formula": {"model": "=HYPERLINK(1)"},
    "a line feed": {"model": "acme\nSet-Cookie: x"},
    "a long model": {"model": "m" * 121},
    "an unknown data set": {"dataset": "nosuch"},
    "a path as the data set": {"dataset": "../../../etc"},
    "SQL as the data set": {"dataset": "x'; drop table code_jobs; --"},
    "no tests": {"n_tests": 0},
    "a million tests": {"n_tests": 10**6},
    "NaN seconds": {"timeout_s": "nan"},
    "endless seconds": {"timeout_s": "inf"},
    "many seconds": {"timeout_s": 31},
    "a text for tests": {"n_tests": "many"},
    "many repeats": {"repeats": 6},
    "another measure": {"measured": "energy"},
    "another field": {"user": "root"},
}


def test_hostile_options_store_nothing(service: BoardDouble, programs: bytes) -> None:
    for name, fields in FIELDS.items():
        answer = post(service, programs, **fields)
        assert answer.status_code == 422, name
        for word in ("alert", "passwd", "drop table", "HYPERLINK", "Set-Cookie"):
            assert word not in answer.text
    assert stored(service) == (0, 0, 0)


def test_hostile_bodies_store_nothing(service: BoardDouble, programs: bytes) -> None:
    client = service.client
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a", b"0")
    asked = f"{JOBS}?model=m"
    answers = {
        "no body": client.post(JOBS),
        "a zip": client.post(asked, content=archive.getvalue(), headers={"Content-Type": "application/zip"}),
        "a zip that says it is lines": client.post(asked, content=archive.getvalue(), headers=LINES),
        "packed": client.post(asked, content=programs, headers={**LINES, "Content-Encoding": "gzip"}),
        "no file": client.post(JOBS, data={"model": "m"}, files={"other": ("x", b"")}),
        "no border": client.post(JOBS, content=b"x", headers={"Content-Type": "multipart/form-data"}),
        "a broken form": client.post(
            JOBS, content=b"--x\r\nnonsense", headers={"Content-Type": "multipart/form-data; boundary=x"}
        ),
        "two files": client.post(JOBS, files=[("file", ("a", programs)), ("file", ("b", programs))]),
        "many fields": client.post(
            JOBS, data={f"f{k}": "x" for k in range(30)}, files={"file": ("a", programs)}
        ),
        "a short key": post(service, programs, {"Idempotency-Key": "short"}),
        "too large": client.post(asked, content=b"x" * (33 << 20), headers=LINES),
        "deep": client.post(asked, content=b'{"a":' * 50_000, headers=LINES),
    }
    said = {name: answer.status_code for name, answer in answers.items()}
    assert all(status in (400, 413, 415, 422) for status in said.values()), said
    assert said["too large"] == 413
    assert said["a zip"] == said["packed"] == said["a zip that says it is lines"] == 415
    assert stored(service) == (0, 0, 0)


def test_cancelling_wants_the_secret(service: BoardDouble, programs: bytes) -> None:
    made, other = (post(service, programs).json() for _ in range(2))
    client, place = service.client, f"{JOBS}/{made['id']}"
    assert client.delete(place).status_code == 401
    assert client.delete(place, headers=bearer(other["secret"])).status_code == 403
    assert client.delete(f"{JOBS}/{'0' * 32}", headers=bearer("x")).status_code == 404
    assert client.get(f"{JOBS}/nosuch").status_code == 422
    assert stored(service)[1] == 2
    gone = client.delete(place, headers=bearer(made["secret"]))
    assert (gone.status_code, gone.json()["state"]) == (200, "cancelled")
    assert stored(service)[1] == 1
    assert client.delete(place, headers=bearer(made["secret"])).status_code == 200  # again is no error


def _fails(run: CodeRun) -> CodeRun:
    if run.problem != "p00" or run.purpose is not Purpose.TEST:
        return run
    return replace(run, outcome=Outcome.RAISED, correct=False, detail=SAID)


@pytest.mark.parametrize("service", ["sqlite", "postgresql"], indirect=True)
def test_what_programs_are_and_say_is_the_uploaders_alone(
    service: BoardDouble, finish_one: Callable[..., Identity]
) -> None:
    job = finish_one("acme/one-7b", [1.0, 2.0, 4.0, 1.0], change=_fails)
    client, place = service.client, f"{JOBS}/{job.job_id}"
    told = client.get(place)
    result = told.json()["result"]
    assert result["summary"]["wrong"][0] == {
        "problem": "p00",
        "sample": 0,
        "outcome": "raised",
        "case": result["summary"]["wrong"][0]["case"],
        "why": "raised",
    }
    assert "sources" not in result["record"]
    page = client.get(f"/code/jobs/{job.job_id}").text
    for text in (told.text, page, client.get("/code").text, client.get("/api/v1/code/leaderboard").text):
        assert "my own words" not in text
        assert "sum(values)" not in text
        assert job.secret not in text
    assert client.get(f"{place}/files").status_code == 401
    assert client.get(f"{place}/files", headers=bearer("another")).status_code == 403
    files = client.get(f"{place}/files", headers=bearer(job.secret))
    with zipfile.ZipFile(io.BytesIO(files.content)) as archive:
        assert set(archive.namelist()) == {"code.json", "code.jsonl", "code.html", "summary.json"}
        assert "sum(values)" in archive.read("code.json").decode()
        whole = json.loads(archive.read("summary.json"))
    assert "my own words" in whole["wrong"][0]["why"]
    assert whole["net"] == result["summary"]["net"]
    client.delete(place, headers=bearer(job.secret))
    assert client.get(f"{place}/files", headers=bearer(job.secret)).status_code == 409
    assert client.get("/api/v1/code/leaderboard").json()["rows"] == []


def test_the_files_are_an_evaluation_that_the_command_line_reads(
    service: BoardDouble, finish_one: Callable[..., Identity], tmp_path: Path
) -> None:
    from doubles.user import joulemark

    job = finish_one("acme/one-7b", [1.0, 2.0, 4.0])
    files = service.client.get(f"{JOBS}/{job.job_id}/files", headers=bearer(job.secret))
    with zipfile.ZipFile(io.BytesIO(files.content)) as archive:
        archive.extractall(tmp_path / "mine")
    again = joulemark("code", "report", tmp_path / "mine", "--json")
    assert again.code == 0, again.err
    standing = service.client.get("/api/v1/code/leaderboard").json()["rows"][0]
    assert json.loads(again.out)["net_corrected"] == standing["figures"]["net_corrected"]["value"]


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[BoardDouble]:
    with board(tmp_path) as made:
        yield made


def test_a_board_without_a_worker_takes_no_programs(closed: BoardDouble, programs: bytes) -> None:
    assert post(closed, programs).status_code == 403
    assert closed.client.get("/code").status_code == 200
    assert stored(closed) == (0, 0, 0)


def test_uploads_of_one_address_are_limited(tmp_path: Path, programs: bytes) -> None:
    with board(tmp_path, code_service=True, submissions_per_hour=2) as few:
        answers = [post(few, programs) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [202, 202, 429]
        assert int(answers[2].headers["Retry-After"]) > 0


def test_data_sets_are_those_built_in_and_those_of_workers(service: BoardDouble, tmp_path: Path) -> None:
    from doubles.small_problems import scripted_problem, total_problem
    from joulemark.board.code_service.datasets import announce, found_in
    from joulemark.code.problems.registry import write_problems

    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "mine.jsonl").write_text(write_problems([total_problem(), scripted_problem()]))
    announce(service.engine, found_in(tmp_path / "sets"))
    sets = {one["id"]: one for one in service.client.get("/api/v1/code/datasets").json()}
    assert sets["built_in"]["n_problems"] == 66
    assert sets["mine"]["n_problems"] == 2
    row = json.dumps({"task_id": "total", "solution": "x"}).encode()
    assert post(service, row).status_code == 422
    assert post(service, row, dataset="mine").status_code == 202
    assert 'value="mine"' in service.client.get("/code").text


@pytest.mark.parametrize("service", ["postgresql"], indirect=True)
def test_a_wish_holds_nothing_that_a_database_cannot_keep(service: BoardDouble) -> None:
    for name in ("words", "contact"):
        wish = {"model": "acme/two", name: "a\0b"}
        assert service.client.post("/api/v1/code/requests", json=wish).status_code == 422
        assert service.client.post("/code/requests", data=wish).status_code == 422


def test_a_wish_is_stored_and_a_moderator_decides(service: BoardDouble) -> None:
    client, place = service.client, "/api/v1/code/requests"
    hostile: dict[str, Any] = {"model": "<b>", "words": "x"}
    assert client.post(place, json=hostile).status_code == 422
    assert client.post(place, json={"model": "m", "words": "x" * 2001}).status_code == 422
    assert stored(service)[2] == 0
    wish = {"model": "acme/two", "dataset": "built_in", "words": "<b>please</b>", "contact": "me@example.org"}
    asked = client.post(place, json=wish)
    assert asked.status_code == 202
    assert client.get(place).status_code == 401
    told = client.get(place, headers=bearer(MODERATOR_KEY)).json()["requests"]
    assert [one["words"] for one in told] == ["<b>please</b>"]
    decision = f"{place}/{asked.json()['id']}/decisions"
    assert client.post(decision, json={"state": "taken"}).status_code == 401
    answers = [
        client.post(decision, json={"state": "taken"}, headers=bearer(MODERATOR_KEY)) for _ in range(2)
    ]
    assert [one.status_code for one in answers] == [200, 409]
    assert client.get(place, headers=bearer(MODERATOR_KEY)).json()["requests"] == []


def test_an_address_says_all_of_its_methods(service: BoardDouble) -> None:
    for path, methods in ((JOBS, "GET, POST"), (f"{JOBS}/{'0' * 32}", "DELETE, GET")):
        answer = service.client.put(path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods)
