"""The picker on a board with runs that can be priced: its page, its API, and what is refused."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from doubles import boards, priced_boards
from doubles.boards import BoardDouble
from joulemark.board.picker.answer_json import PickAnswer
from joulemark.board.picker.candidates import candidates
from joulemark.metrics.picking import Spread, Wanted, declared, pick
from joulemark.record.manifest import Rates

ASKED = {"prompt_tokens": "300±50", "completion_tokens": "15", "requests_per_day": "1000", "by": "joules"}
API = "/api/v1/pick"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    folder = tmp_path_factory.mktemp("board")
    with boards.board(folder, priced_boards.bundles(3)) as made:
        rows = [priced_boards.published(), priced_boards.published(model="org/blank", energy_j=None)]
        boards.publish(made.engine, rows)
        yield made


def answer(board: BoardDouble, status: int = 200, **asked: str) -> dict:
    got = board.client.get(API, params={**ASKED, **asked})
    assert got.status_code == status, got.text
    return got.json()


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_models_are_ranked_by_kind_of_evidence(board: BoardDouble) -> None:
    found = answer(board, zone="FRA", usd_per_kwh="0.30")
    assert [table["kind"] for table in found["tables"]] == ["measured", "published"]
    rows = found["tables"][0]["rows"]
    assert [row["model"] for row in rows] == list(priced_boards.MODELS)
    for row in rows:
        lo, hi = (row["intervals"]["workload_joules"][end] for end in ("lo", "hi"))
        assert lo < row["workload_joules"] < hi
        assert row["workload_usd"] == pytest.approx(row["workload_joules"] / 3.6e6 * 0.30)
        assert row["workload_gco2e"] > 0
        assert row["probability_best"] is not None
    assert sum(row["probability_best"] for row in rows) == pytest.approx(1.0)
    assert found["best"] == rows[0]
    assert found["n_candidates"] == 5
    PickAnswer.model_validate(found, strict=True)
    assert [one["code"] for one in found["not_priced"]] == ["not_published"]
    assert found["tables"][1]["rows"][0]["probability_best"] is None


def test_it_is_the_answer_of_the_same_code_as_in_the_terminal(board: BoardDouble) -> None:
    among = candidates(board.engine).by_id.values()
    workload = declared(Spread(300, 50), Spread(15), 1000)
    whole = pick([one for one in among if one.point.kind == "measured"], workload, Wanted("joules"))
    found = answer(board)
    for row, other in zip(found["tables"][0]["rows"], whole.tables[0].rows, strict=True):
        assert row["workload_joules"] == other.priced.figures["workload_joules"].value
        assert row["probability_best"] == pytest.approx(other.probability.value, abs=0.03)
        assert row["rank_range"] == list(other.ranks)
    assert found["rates"] == {}
    assert Rates().usd_per_kwh is None


def test_limits_rule_out_and_say_by_what(board: BoardDouble) -> None:
    found = answer(board, model="7b")
    assert [row["model"] for row in found["tables"][0]["rows"]] == ["org/middle-7b"]
    found = answer(board, min_accuracy="0.99")
    assert found["best"] is None
    assert {one["name"]: one["n"] for one in found["failed_by"]} == {"accuracy": 4}
    failed = [one["failed"][0] for one in found["ruled_out"]]
    assert all(check["limit"] == 0.99 and not check["met"] for check in failed)
    PickAnswer.model_validate(found, strict=True)
    assert answer(board, budget="0.001kWh/day", budget_of="requests")["n_ruled_out"] == 4
    assert answer(board, rung="2")["n_less_trusted"] == 2


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"prompt_tokens": ""}, "prompt_tokens"),
        ({"prompt_tokens": "many"}, "prompt_tokens"),
        ({"prompt_tokens": "1e400"}, "prompt_tokens"),
        ({"completion_tokens": "9" * 150}, "completion_tokens"),
        ({"requests_per_day": "0"}, "requests_per_day"),
        ({"requests_per_day": "NaN"}, "requests_per_day"),
        ({"requests_per_day": "-5"}, "requests_per_day"),
        ({"min_accuracy": "70"}, "min_accuracy"),
        ({"max_ttft": "soon"}, "max_ttft"),
        ({"limit": "luck=7"}, "limit"),
        ({"limit": "itl_p99"}, "limit"),
        ({"budget": "a lot"}, "budget"),
        ({"budget": "$5/day"}, "usd_per_kwh"),
        ({"budget": "2kWh/day", "requests_per_day": ""}, "requests_per_day"),
        ({"by": "luck"}, "by"),
        ({"by": "usd"}, "usd_per_kwh"),
        ({"by": "gco2e"}, "zone"),
        ({"zone": "Atlantis"}, "zone"),
        ({"zone": "FRA", "gco2e_per_kwh": "50"}, "gco2e_per_kwh"),
        ({"usd_per_kwh": "inf"}, "usd_per_kwh"),
        ({"pue": "0.5"}, "pue"),
        ({"rung": "7"}, "rung"),
        ({"hardware": "a\x00b"}, "hardware"),
        ({"sample": "{broken"}, "sample"),
        ({"sample": '{"prompt_tokens": 5, "completion_tokens": 5}'}, "prompt_tokens"),
        ({"sample": "[" * 5000}, "sample"),
    ],
)
def test_nonsense_is_refused_beside_its_field(board: BoardDouble, asked: dict[str, str], field: str) -> None:
    typed = {**ASKED, **asked}
    got = board.client.get(API, params=typed)
    assert got.status_code == 422
    assert f"{field}: " in got.json()["why"]
    page = board.client.get("/pick", params=typed)
    assert page.status_code == 422
    assert f'id="w-{field}"' in page.text
    assert re.search(rf'id="p-{field}"[^>]*aria-invalid="true"', page.text)
    if "prompt_tokens" not in asked:  # what was typed is kept
        assert 'value="300±50"' in page.text


def test_too_much_and_unknown_fields_are_refused(board: BoardDouble) -> None:
    assert board.client.get(API, params={**ASKED, "colour": "red"}).status_code == 422
    assert board.client.get(API, params={**ASKED, "model": "x" * 300}).status_code == 422
    assert board.client.post(API, json={**ASKED, "sample": "x" * 300_000}).status_code in (413, 422)
    many = '{"prompt_tokens":1,"completion_tokens":1}\n' * 4500
    got = board.client.post(API, json={"sample": many, "by": "joules"})
    assert got.status_code == 200
    assert got.json()["workload"]["n"] == 4500


def test_a_sample_has_lengths_of_its_own_and_a_link_without_it(board: BoardDouble) -> None:
    sample = "\n".join(
        f'{{"prompt_tokens": {100 + 9 * k}, "completion_tokens": {5 + k % 9}}}' for k in range(40)
    )
    page = board.client.post("/pick", data={"sample": sample, "by": "joules"})
    assert page.status_code == 200
    assert "40 requests with their token counts" in words(page.text)
    (link,) = re.findall(r'href="(/pick\?[^"]+)">Link', page.text)
    again = parse_qs(urlsplit(html.unescape(link)).query)
    assert again["prompt_tokens"][0].startswith("275.5±")
    assert board.client.get(html.unescape(link)).status_code == 200


def test_texts_need_a_declared_length_of_a_token(board: BoardDouble) -> None:
    sample = '{"prompt": "' + "a" * 400 + '", "answer": "' + "b" * 40 + '"}\n'
    asked = {"sample": sample * 12, "by": "joules"}
    got = board.client.post(API, json=asked)
    assert got.status_code == 422
    assert "characters_per_token: " in got.json()["why"]
    got = board.client.post(API, json={**asked, "characters_per_token": "4"})
    assert got.json()["workload"]["prompt_tokens"] == 100.0
    assert "4 characters a token" in got.json()["workload"]["told"]


def test_the_page_works_by_its_address_alone(board: BoardDouble) -> None:
    page = board.client.get("/pick", params={**ASKED, "zone": "DE", "usd_per_kwh": "0.30"})
    assert page.status_code == 200
    assert "<script" not in page.text
    text = words(page.text)
    assert "What to run for 300 ± 50 prompt and 15 completion tokens a request, 1,000 requests a day" in text
    assert "small-1b on" in text
    assert "MODELLED" in text
    assert 'value="300±50"' in page.text
    for configuration in re.findall(r'href="/configurations/([^"]+)"', page.text):
        assert board.client.get(f"/configurations/{configuration}").status_code == 200


def test_nothing_of_the_reader_is_trusted(board: BoardDouble) -> None:
    nasty = '"><script>alert(1)</script>'
    page = board.client.get("/pick", params={**ASKED, "hardware": nasty, "model": nasty})
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert "{{" not in page.text
    assert board.client.get(API, params={**ASKED, "hardware": nasty}).json()["best"] is None


def test_an_empty_board_says_so(tmp_path) -> None:
    with boards.board(tmp_path) as empty:
        page = empty.client.get("/pick", params=ASKED)
        assert page.status_code == 200
        assert "nothing to pick from" in words(page.text)
        assert empty.client.get("/pick").status_code == 200


def test_what_is_accepted_or_withdrawn_is_seen_at_once(tmp_path) -> None:
    with boards.board(tmp_path, [priced_boards.bundle(0)]) as one:
        assert answer(one)["n_candidates"] == 1
        one.submit(priced_boards.bundle(1))
        assert answer(one)["n_candidates"] == 2
        first = candidates(one.engine)
        assert candidates(one.engine) is first
        drawn = dict(first.among().draws)
        assert len(drawn) == 2
        one.submit(priced_boards.bundle(2))
        assert answer(one)["n_candidates"] == 3
        among = candidates(one.engine).among()
        kept = [own for own in among.draws.values() if any(own is before for before in drawn.values())]
        assert len(kept) == 2  # what did not change is not drawn again


def test_the_schema_knows_the_answer(board: BoardDouble) -> None:
    schema = board.client.get("/api/v1/openapi.json").json()
    get = schema["paths"][API]["get"]
    assert {"200", "422", "429"} <= set(get["responses"])
    assert {one["name"] for one in get["parameters"]} >= {"prompt_tokens", "max_ttft_p99", "rung"}


def test_every_dash_has_its_reason_and_every_row_its_trust(board: BoardDouble) -> None:
    page = board.client.get("/pick", params=ASKED).text
    assert re.search(r"<td[^>]*>\s*—", page) is None
    for title in re.findall(r'<span class="none" title="([^"]*)">—', page):
        assert title
    assert "Recomputed</small>" in page
    assert "Published elsewhere</small>" in page


def test_an_answer_of_published_rows_alone_says_so(board: BoardDouble) -> None:
    page = board.client.get("/pick", params={**ASKED, "hardware": "H100"}).text
    assert "Nothing that was measured here keeps what you ask" in page
    assert "Nothing that was measured" not in board.client.get("/pick", params=ASKED).text


@pytest.fixture(scope="module")
def table_of_others(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    """A board on which nothing was measured: rows of a publication, without any accuracy."""
    with boards.board(tmp_path_factory.mktemp("published")) as made:
        rows = [
            priced_boards.published(
                model=f"org/{task}-{k}b",
                task=task,
                energy_j=50.0 + k,
                latency_s={"tpot_mean": tpot_s},
                settings={"max_batch": 256},
            )
            for task in ("chat", "code")
            for k, tpot_s in enumerate((0.05, 0.05, 0.05, 0.4, 0.11), 1)
        ]
        boards.publish(made.engine, rows)
        yield made


def test_what_lacks_only_its_accuracy_has_a_link_that_ranks_it(table_of_others: BoardDouble) -> None:
    client = table_of_others.client
    page = client.get("/pick", params={**ASKED, "by": "", "max_tpot": "100ms"})
    told = words(page.text)
    assert "Nothing of 10 configurations can be picked" in told
    assert "Its accuracy is not known" in told
    assert "6 configurations that keep what you ask lack only their accuracy" in told
    assert "mean time per output token of at most 100.0 ms" in told.partition("Nothing of")[0]
    (link,) = re.findall(r'href="(/pick\?[^"]*)">rank by energy per request', page.text)
    again = client.get(html.unescape(link))
    told = words(again.text)
    assert "org/chat-1b" in again.text or "chat-1b on" in told
    assert "Nothing was measured here yet: below are published rows" in told
    assert "priced by output tokens alone" in told
    assert "1,000 a day are one in 86 s" in told
    assert "max tpot" not in told
    assert answer(table_of_others, by="", max_tpot="100ms")["n_per_request"] == 6
    found = answer(table_of_others, max_tpot="100ms")
    assert [(table["task"], table["n_rows"]) for table in found["tables"]] == [("chat", 3), ("code", 3)]
    nearest = [one["failed"][0]["value"] for one in found["ruled_out"]]
    assert nearest == [0.11, 0.11, 0.4, 0.4]
    PickAnswer.model_validate(found, strict=True)


def test_a_time_without_its_unit_is_refused_beside_its_field(board: BoardDouble) -> None:
    for asked in ({"max_tpot": "100"}, {"limit": "itl_p99=50"}):
        got = board.client.get(API, params={**ASKED, **asked})
        assert got.status_code == 422
        assert "a number without a unit; write 100ms, 5s or 2min" in got.json()["why"]
