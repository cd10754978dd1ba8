"""A run and a submission by the first digits of their digest, which is what the command line prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from doubles.boards import BoardDouble, board, bundle
from joulemark.board.database.tables import submissions
from joulemark.board.database.writing import writing


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    with board(tmp_path_factory.mktemp("board"), [bundle().data]) as made:
        yield made


@pytest.mark.parametrize("place", ["runs", "submissions"])
@pytest.mark.parametrize("n_digits", [8, 16, 63])
def test_the_first_digits_lead_to_the_whole(where: BoardDouble, place: str, n_digits: int) -> None:
    [digest] = where.digests
    for begins in (digest[:n_digits], digest[:n_digits].upper()):
        answer = where.client.get(f"/{place}/{begins}", follow_redirects=False)
        assert answer.status_code in (302, 303)
        assert answer.headers["location"] == f"/{place}/{digest}"
    assert where.client.get(f"/{place}/{digest}").status_code == 200


@pytest.mark.parametrize("place", ["runs", "submissions"])
def test_too_few_and_other_digits_are_told(where: BoardDouble, place: str) -> None:
    [digest] = where.digests
    for name in (digest[:7], "nothing", f"{digest}0", "%25%25%25%25%25%25%25%25", "________"):
        answer = where.client.get(f"/{place}/{name}", follow_redirects=False)
        assert answer.status_code == 404, name
        assert "the first 8 are enough" in answer.text
    other = ("0" if digest[0] != "0" else "1") * 12
    answer = where.client.get(f"/{place}/{other}", follow_redirects=False)
    assert answer.status_code == 404
    assert "begins like that" in answer.text


def test_digits_of_two_runs_are_refused(tmp_path: Path) -> None:
    with board(tmp_path, [bundle().data]) as where:
        [digest] = where.digests
        with writing(where.engine) as connection:
            row = dict(connection.execute(submissions.select()).mappings().one())
            twin = digest[:20] + ("0" if digest[20] != "0" else "1") + digest[21:]
            connection.execute(insert(submissions).values(**{**row, "digest": twin}))
        answer = where.client.get(f"/runs/{digest[:12]}", follow_redirects=False)
        assert answer.status_code == 404
        assert "more than one run" in answer.text
        assert where.client.get(f"/runs/{digest[:21]}", follow_redirects=False).status_code == 302
