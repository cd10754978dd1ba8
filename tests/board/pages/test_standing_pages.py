"""The leaderboard's pages: for eyes, for none, for a keyboard; and nothing that a name could run."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import update

from doubles.boards import board, publish
from doubles.read_page import Element, read_page
from doubles.standing_boards import HOSTILE, ReadBoard, bundles, published
from joulemark.board.database.tables import submissions
from joulemark.board.database.writing import writing
from joulemark.board.standing.kept import drop_run

PAGES = (
    "/",
    "/?kind=measured",
    "/?kind=published&page=1",
    "/?model=nobody",
    "/frontier",
    "configuration",
    "published",
    "run",
)


def address(read: ReadBoard, name: str) -> str:
    rows = read.board.client.get("/api/v1/leaderboard?limit=500").json()["rows"]
    if name == "run":
        return f"/runs/{read.board.digests[0]}"
    if name in ("configuration", "published"):
        kind = "measured" if name == "configuration" else "published"
        return f"/configurations/{next(row['id'] for row in rows if row['kind'] == kind)}"
    return name


@pytest.fixture(params=PAGES)
def page(read: ReadBoard, request: pytest.FixtureRequest) -> Element:
    """Each of the pages."""
    answer = read.board.client.get(address(read, request.param))
    assert answer.status_code == 200
    return read_page(answer.text)


def test_headings_are_one_first_and_no_level_is_left_out(page: Element) -> None:
    levels = [int(one.tag[1]) for one in page.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


def test_every_field_has_a_label_and_every_button_a_name(page: Element) -> None:
    labelled = {one.attributes.get("for") for one in page.all("label")}
    fields = [f for f in page.all("input", "select", "textarea") if f.attributes.get("type") != "hidden"]
    assert all(one.attributes["id"] in labelled for one in fields)
    assert all(one.text for one in page.all("button", "a", "summary"))


def test_every_table_has_heads_that_say_what_they_head(page: Element) -> None:
    for table in page.all("table"):
        (head,) = table.all("thead")
        assert all(one.attributes.get("scope") == "col" for one in head.all("th"))
        for row in (row for body in table.all("tbody") for row in body.all("tr")):
            assert [one.attributes.get("scope") for one in row.all("th")] == ["row"]
        assert sum(one.attributes.get("aria-sort", "none") != "none" for one in table.all("th")) <= 1


def test_every_dash_says_why_for_eyes_and_for_none(page: Element) -> None:
    for dash in page.of_class("none"):
        assert dash.text == "—"
        why = dash.attributes["title"]
        assert why
        assert dash.parent is not None
        assert why in " ".join(one.text for one in dash.parent.of_class("unseen"))


def test_there_are_dashes_and_none_without_a_reason(read: ReadBoard) -> None:
    for name in ("/", "configuration", "published"):
        page = read_page(read.board.client.get(address(read, name)).text)
        assert page.of_class("none"), name
        bare = [one for one in page.all("td", "dd", "span") if one.text == "—" and not one.all()]
        assert all("none" in one.attributes.get("class", "").split() for one in bare), name


def test_no_id_stands_twice_and_nothing_runs_inline(page: Element) -> None:
    ids = Counter(one.attributes["id"] for one in page.all() if one.attributes.get("id"))
    assert [name for name, n in ids.items() if n > 1] == []
    assert not page.all("script")
    assert not [name for one in page.all() for name in one.attributes if name.startswith("on")]
    loaded = [one.attributes["href"] for one in page.all("link") if one.attributes.get("rel") == "stylesheet"]
    assert all(link.startswith("/static/") for link in loaded)


def test_regions_have_names(page: Element) -> None:
    (html,) = page.all("html")
    assert html.attributes["lang"] == "en"
    assert len(page.all("main")) == 1
    names = [one.attributes.get("aria-label") for one in page.all("nav")]
    assert all(names)
    assert len(set(names)) == len(names)
    ids = {one.attributes.get("id") for one in page.all()}
    named = [name for one in page.all() for name in one.attributes.get("aria-labelledby", "").split()]
    assert set(named) <= ids
    assert page.all("title")[0].text.endswith("· Joulemark")


def test_a_hostile_name_is_shown_and_not_run(read: ReadBoard) -> None:
    text = read.board.client.get("/?kind=published").text
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)" in text


def test_ranks_trust_and_spreads_are_on_the_page(read: ReadBoard) -> None:
    page = read_page(read.board.client.get("/?kind=measured").text)
    lines = [row.text for table in page.all("table") for row in table.all("tbody")[0].all("tr")]
    (small,) = [line for line in lines if "org/small-1b" in line]
    assert "Recomputed" in small
    assert "(3)" in small, "mean ± σ (n)"
    (large,) = [line for line in lines if "org/large-8b" in line]
    assert "±" not in large, "never of one run"
    tiers = [one.text for one in page.all("h3")]
    assert [one.partition(":")[0] for one in tiers] == ["Tier B", "Tier C", "No tier"]


@pytest.mark.parametrize("sort", ["joules_per_correct_answer", "accuracy", "energy_j"])
def test_heads_sort_and_turn_round(read: ReadBoard, sort: str) -> None:
    table = f"/?{urlencode({'kind': 'published', 'sort': sort})}"
    page = read_page(read.board.client.get(table).text)
    (head,) = [one for one in page.all("th") if one.attributes.get("aria-sort", "none") != "none"]
    (link,) = head.all("a")
    turned = read_page(read.board.client.get(f"/{link.attributes['href']}").text)
    (again,) = [one for one in turned.all("th") if one.attributes.get("aria-sort", "none") != "none"]
    assert {head.attributes["aria-sort"], again.attributes["aria-sort"]} == {"ascending", "descending"}
    assert "kind=published" in link.attributes["href"]


def test_pages_of_a_table_hold_all_rows_once(tmp_path: Path) -> None:
    """More rows than a page: its links lead through all of them, in order."""
    with board(tmp_path) as made:
        names = publish(made.engine, published(120))
        seen: list[str] = []
        ranks: list[int] = []
        for number in (1, 2, 3):
            page = read_page(made.client.get(f"/?page={number}").text)
            rows = page.all("tbody")[0].all("tr")
            assert len(rows) <= 50
            ranks += [int(row.all("td")[0].text) for row in rows]
            seen += [row.all("a")[0].attributes["href"].rpartition("/")[2] for row in rows]
            (links,) = [
                nav for nav in page.all("nav") if nav.attributes["aria-label"] == "Pages of the table"
            ]
            assert [one.text for one in links.all("a")] == ["1", "2", "3"]
        assert sorted(seen) == sorted(names)
        assert ranks == sorted(ranks)


def test_the_evidence_of_a_run_tells_what_it_rests_on(read: ReadBoard) -> None:
    text = read.board.client.get(f"/runs/{read.board.digests[0]}").text
    page = read_page(text)
    assert f"joulemark verify {read.board.digests[0][:16]}.joulemark.zip" in text
    assert f"/api/v1/submissions/{read.board.digests[0]}/bundle" in text
    headings = [one.text for one in page.all("h2")]
    for wanted in ("Check it yourself", "Checks", "What happened", "Meters", "Every figure", "Latencies"):
        assert wanted in headings
    assert len(page.all("svg")) >= 2, "the timeline of power, and what became of the answers"
    assert "qualified" in text


def test_a_quarantined_run_says_so_and_a_withdrawn_one_is_gone(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:2]) as made:
        for digest, status in zip(made.digests, ("quarantined", "withdrawn"), strict=True):
            with writing(made.engine) as connection:
                changed = update(submissions).where(submissions.c.digest == digest)
                connection.execute(
                    changed.values(status=status, grounds=[{"code": "copy", "why": "A <b>copy</b>."}])
                )
                drop_run(connection, digest)
        page = made.client.get(f"/runs/{made.digests[0]}")
        assert "in quarantine" in page.text
        assert "A &lt;b&gt;copy" in page.text
        assert "held back" in page.text
        assert "/bundle" not in page.text
        gone = made.client.get(f"/runs/{made.digests[1]}")
        assert gone.status_code == 410
        assert made.client.get(f"/api/v1/runs/{made.digests[1]}").status_code == 410
        assert "No run was accepted yet" in made.client.get("/").text
