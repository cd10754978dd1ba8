"""The leaderboard's API: as its schema says, permalinks that hold, and refusals in words."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from doubles.standing_boards import HOSTILE, ReadBoard
from joulemark.board.standing.api_types import LeaderboardJson, RowJson, RunJson

ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_leaderboard_is_as_its_schema_says(read: ReadBoard) -> None:
    answer = read.board.client.get("/api/v1/leaderboard?limit=500")
    found = LeaderboardJson.model_validate(answer.json(), strict=True)
    assert found.n_rows == len(found.rows) == 4 + len(read.published)
    assert {row.kind for row in found.rows} == {"measured", "published"}
    schema = read.board.client.get("/api/v1/openapi.json").json()
    for path in ("/leaderboard", "/leaderboard.csv", "/leaderboard.parquet", "/runs/{digest}"):
        assert "200" in schema["paths"][f"/api/v1{path}"]["get"]["responses"]


def test_every_row_opens_its_evidence_and_its_configuration(read: ReadBoard) -> None:
    for row in read.board.client.get("/api/v1/leaderboard?kind=measured").json()["rows"]:
        run = read.board.client.get(f"/api/v1/runs/{row['stands_for']}")
        found = RunJson.model_validate(run.json(), strict=True)
        assert found.configuration == row["id"]
        assert found.recomputed is not None
        ours = found.recomputed["figures"]["joules_per_correct_answer"]["value"]
        assert ours == row["figures"]["joules_per_correct_answer"]["value"]
        same = read.board.client.get(f"/api/v1/configurations/{row['id']}").json()
        RowJson.model_validate(same, strict=True)
        assert same["runs"] == row["runs"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/runs/" + "0" * 64, 404),
        ("/api/v1/configurations/" + "0" * 64, 404),
        ("/api/v1/runs/../../etc/passwd", 404),
        ("/api/v1/runs/" + "Z" * 64, 422),
        ("/api/v1/leaderboard?limit=0", 422),
        ("/api/v1/leaderboard?limit=501", 422),
        ("/api/v1/leaderboard?offset=-1", 422),
        ("/api/v1/leaderboard?tier=D", 422),
        ("/api/v1/leaderboard?rung=9", 422),
        ("/api/v1/leaderboard?sort=price", 422),
        ("/api/v1/leaderboard?order=up", 422),
        ("/api/v1/leaderboard?model=" + "x" * 201, 422),
        ("/?page=0", 422),
        ("/?usd_per_kwh=-1", 422),
        ("/?usd_per_kwh=nan", 422),
        ("/api/v1/leaderboard?usd_per_kwh=1e3", 422),
        ("/api/v1/leaderboard?gco2e_per_kwh=20000", 422),
        ("/runs/" + "0" * 64, 404),
        ("/configurations/" + "0" * 64, 404),
    ],
)
def test_what_is_not_there_is_refused(read: ReadBoard, path: str, status: int) -> None:
    assert read.board.client.get(path).status_code == status


@pytest.mark.parametrize("name", ["task", "table", "hardware", "engine", "quantization", "model"])
@pytest.mark.parametrize("value", ["'; DROP TABLE runs; --", "%", "\x00", HOSTILE, "../..", "🙂" * 50])
def test_a_filter_is_only_ever_a_value(read: ReadBoard, name: str, value: str) -> None:
    answer = read.board.client.get("/api/v1/leaderboard", params={name: value})
    assert answer.status_code == 200
    page = read.board.client.get("/", params={name: value})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert read.board.client.get("/api/v1/leaderboard").json()["n_rows"] == 4 + len(read.published)


def test_the_feed_names_the_accepted_runs(read: ReadBoard) -> None:
    answer = read.board.client.get("/feed.atom")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    ids = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert ids == [f"urn:sha256:{digest}" for digest in reversed(read.board.digests)]
    links = [entry.find(f"{ATOM}link") for entry in feed.findall(f"{ATOM}entry")]
    places = [link.attrib["href"] for link in links if link is not None]
    assert places == [f"http://testserver/runs/{digest}" for digest in reversed(read.board.digests)]


def test_the_same_address_gives_the_same_answer(read: ReadBoard) -> None:
    address = "/api/v1/leaderboard?sort=accuracy&order=asc&limit=7&offset=3"
    first = read.board.client.get(address).content
    assert read.board.client.get(address).content == first


def test_a_readers_own_rates_reach_page_api_and_exports(read: ReadBoard) -> None:
    rates = "kind=measured&tier=C&sort=gco2e_per_correct_answer&gco2e_per_kwh=360"
    found = read.board.client.get(f"/api/v1/leaderboard?{rates}").json()["rows"]
    assert [row["rank"] for row in found] == [{"best": 1, "worst": 1}, {"best": 2, "worst": 2}]
    for row in found:
        joules, grams = (
            row["figures"][n]["value"] for n in ("joules_per_correct_answer", "gco2e_per_correct_answer")
        )
        assert grams == pytest.approx(joules / 1e4)
    assert "gco2e_per_kwh=360" in read.board.client.get(f"/?{rates}").text
    lines = read.board.client.get(f"/api/v1/leaderboard.csv?{rates}").text.splitlines()
    column = lines[0].split(",").index("rank_best")
    assert [line.split(",")[column] for line in lines[1:]] == ["1", "2"]
