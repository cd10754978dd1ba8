"""The pages of submission and moderation, without JavaScript, as a person uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.board_rows import counts
from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle
from doubles.challenged_runs import quick_run
from doubles.hostile_bundles import WORDS
from joulemark.board.database.connection import shown_option
from joulemark.bundles.submission.pack import pack


@pytest.fixture
def where(tmp_path: Path) -> Iterator[BoardDouble]:
    with board(tmp_path) as made:
        yield made


def _sign_in(where: BoardDouble) -> str:
    """Sign in; returns what stands in every form of the session."""
    answer = where.client.post("/moderation/login", data={"key": MODERATOR_KEY}, follow_redirects=False)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    page = where.client.get("/moderation")
    assert page.headers["cache-control"] == "no-store"
    return re.findall(r'name="csrf" value="([^"]+)"', page.text)[0]


def test_a_bundle_is_uploaded_by_the_form(where: BoardDouble) -> None:
    page = where.client.get("/submit").text
    assert 'enctype="multipart/form-data"' in page
    assert "http://testserver" in page
    packed = bundle()
    files = {"bundle": ("my run.zip", packed.data, "application/zip")}
    assert where.client.post("/submit", files=files).status_code == 422
    assert counts(where.engine)["submissions"] == 0
    sent = where.client.post("/submit", files=files, data={"agreed": "yes"}, follow_redirects=False)
    assert sent.status_code == 303
    assert sent.headers["location"] == f"/submissions/{packed.digest}"
    shown = where.client.get(sent.headers["location"]).text
    assert "Accepted." in shown
    assert f"/runs/{packed.digest}" in shown


def test_the_hint_on_moderation_names_the_database_and_no_password(where: BoardDouble) -> None:
    hint = "joulemark board keys add NAME --database board.sqlite"
    assert hint in where.client.get("/moderation").text
    assert hint in where.client.post("/moderation/login", data={"key": "x" * 20}).text
    assert shown_option("postgresql://u:s3cret@h/n") == "--database URL"
    assert shown_option("/srv/a board/b c.sqlite") == "--database 'b c.sqlite'"


def test_what_is_refused_is_told_on_a_page(where: BoardDouble) -> None:
    files = {"bundle": ("<script>alert(1)</script>", b"<script>no zip</script>", "text/html")}
    answer = where.client.post("/submit", files=files, data={"agreed": "yes"})
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "this is no bundle" in answer.text
    assert "<script" not in answer.text
    assert where.client.post("/submit", data={"agreed": "yes"}).status_code == 422
    assert where.client.get("/submissions/nothing").status_code == 404
    assert where.client.get(f"/submissions/{'0' * 64}").status_code == 404


def test_an_appeal_by_the_form_is_decided_on_the_page(where: BoardDouble) -> None:
    packed = bundle(watts=5.0)
    where.submit(packed.data)
    page = where.client.get(f"/submissions/{packed.digest}").text
    assert "held back" in page
    assert 'name="words"' in page
    words = {"words": "<img src=x onerror=alert(1)> it is real & mine"}
    sent = where.client.post(f"/submissions/{packed.digest}/appeals", data=words)
    assert sent.status_code == 200
    assert "Your appeal was taken" in sent.text
    csrf = _sign_in(where)
    moderation = where.client.get("/moderation").text
    assert "<img src=x" not in moderation
    assert "&lt;img src=x" in moderation
    [place] = re.findall(r'action="(/moderation/appeals/[0-9a-f]{32}/decisions)"', moderation)
    given = {"csrf": csrf, "grant": "true", "note": "a photograph was shown"}
    assert where.client.post(place, data=given).status_code == 200
    assert where.client.get(f"/api/v1/submissions/{packed.digest}").json()["status"] == "accepted"
    assert "a photograph was shown" in where.client.get("/moderation").text


def test_without_key_session_or_token_nothing_is_decided(where: BoardDouble) -> None:
    packed = bundle(watts=5.0)
    where.submit(packed.data)
    place = f"/moderation/submissions/{packed.digest}/decisions"
    given = {"decision": "accept", "note": "let it through"}
    assert "Sign in" in where.client.get("/moderation").text
    assert where.client.post(place, data={**given, "csrf": "x"}).status_code == 401
    assert where.client.post("/moderation/login", data={"key": "guess"}).status_code == 403
    csrf = _sign_in(where)
    assert where.client.post(place, data={**given, "csrf": "x"}).status_code == 403
    assert where.client.post(place, data=given).status_code == 422
    assert where.client.post(place, data={**given, "csrf": csrf, "note": ""}).status_code == 422
    where.client.post("/moderation/logout", data={"csrf": csrf})
    assert where.client.post(place, data={**given, "csrf": csrf}).status_code == 401
    assert where.client.get(f"/api/v1/submissions/{packed.digest}").json()["status"] == "quarantined"


def test_keys_are_not_guessed_for_long(where: BoardDouble) -> None:
    answers = [
        where.client.post("/moderation/login", data={"key": f"guess-{n}"}).status_code for n in range(25)
    ]
    assert answers[:20] == [403] * 20
    assert answers[-1] == 429


def test_a_challenge_from_the_page_is_shown_to_its_submitter(where: BoardDouble, tmp_path: Path) -> None:
    packed = pack(quick_run(tmp_path / "run"), words=WORDS)
    where.submit(packed.data)
    csrf = _sign_in(where)
    where.client.post(f"/moderation/submissions/{packed.digest}/challenges", data={"csrf": csrf, "n": "4"})
    shown = where.client.get(f"/submissions/{packed.digest}").text
    assert "4 answers are asked for" in shown
    assert re.search(r"joulemark bench open http://testserver/api/v1/challenges/[0-9a-f]{32}", shown)


def test_a_host_that_is_none_is_not_repeated(where: BoardDouble) -> None:
    page = where.client.get("/submit", headers={"Host": 'x"><script>alert(1)</script>'})
    assert "<script>alert" not in page.text
    packed = bundle()
    where.submit(packed.data)
    told = where.client.get(f"/api/v1/submissions/{packed.digest}", headers={"Host": "a b<c>"}).json()
    assert told["page"] == f"/runs/{packed.digest}"
