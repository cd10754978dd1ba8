"""``compare --stream``, ``frugal rank`` and ``--stop "decided against RUN"`` from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.growing_runs import answer, finished
from doubles.user import adds, bench, joulemark, start
from doubles.working_engine import WorkingEngine

N = 40


def never_right(_question: str) -> str:
    return "#### 0"


def file_of(path: Path, right: list[int]) -> Path:
    path.write_text("\n".join(["item_id,correct", *(f"q{k},{one}" for k, one in enumerate(right))]))
    return path


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """A good, a middling and a bad model as files of 900 items."""
    shares = {"bad": 2, "good": 9, "fair": 5}
    return [
        file_of(tmp_path / f"{name}.csv", [int(k * 7919 % 10 < share) for k in range(900)])
        for name, share in shares.items()
    ]


def test_two_files_are_replayed(three: list[Path]) -> None:
    bad, good, _ = three
    done = joulemark("compare", bad, good, "--stream")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "B is right more often: known after" in words
    assert "of 900 questions" in words
    assert "B stays ahead with the other" in words
    told = joulemark("compare", good, bad, "--stream", "--json").json
    assert (told["decision"], told["winner"]) == ("winner", "A")
    assert told["speaks_of"] == "questions_of_the_kind"
    assert told["e_value"] >= 20
    assert told["interval"]["lo"] <= told["all_read"]["difference"] <= told["interval"]["hi"] <= 0
    assert told["n"] < 60


def test_a_file_against_itself_is_a_tie(three: list[Path]) -> None:
    told = joulemark("compare", three[0], three[0], "--stream", "--json", "--tie", "5pp").json
    assert (told["decision"], told["winner"], told["difference"]) == ("tie", None, 0.0)
    assert told["speaks_of"] == "these_questions"
    assert -0.05 <= told["interval"]["lo"] <= 0 <= told["interval"]["hi"] <= 0.05
    assert told["n"] < 900


def test_a_ranking(three: list[Path]) -> None:
    done = joulemark("frugal", "rank", *three)
    assert done.code == 0, done.err
    lines = [line.split() for line in done.out.splitlines() if ".csv" not in line and "%" in line]
    assert [line[1] for line in lines[:3]] == ["good", "fair", "bad"]
    assert "3 pairs: 3 told apart, 0 ties within 1 pp, 0 open." in " ".join(done.out.split())
    told = joulemark("frugal", "rank", *three, "--json", "--control", "fdr").json
    assert [model["name"] for model in told["models"]] == ["good", "fair", "bad"]
    assert [model["group"] for model in told["models"]] == [1, 2, 3]
    assert told["answers_spent"] == sum(model["n"] for model in told["models"]) < told["answers_full"] == 2700
    assert {pair["decision"] for pair in told["pairs"]} == {"order"}


def test_bad_input_says_what_to_do(three: list[Path], tmp_path: Path) -> None:
    for arguments, words in (
        (("compare", three[0], "--stream"), "decides between two"),
        (("compare", three[0], tmp_path / "nowhere", "--stream"), "nowhere"),
        (("compare", *three[:2], "--stream", "--tie", "-1pp"), "no width of a tie"),
        (("frugal", "rank", three[0]), "1 model is no ranking"),
        (("frugal", "rank", *three, "--tie", "x"), "no width of a tie"),
        (("frugal", "rank", *three, "--tie", "200"), "never further apart than 100pp"),
        (("compare", *three[:2]), "joulemark compare A B --stream"),
    ):
        done = joulemark(*arguments)
        assert done.code == 2
        assert words in done.err
        assert "Traceback" not in done.err


def test_hostile_names_are_shown_harmlessly(tmp_path: Path) -> None:
    roots = [
        finished(tmp_path / name, [answer(k, right) for k in range(40)])
        for name, right in (("a\x1b[31m", True), ("b[bold]", False))
    ]
    done = joulemark("compare", *roots, "--stream")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "b[bold]" in done.out


@pytest.mark.slow
def test_a_run_ends_when_it_is_decided_against_another(
    board: object, sums: Callable[[int], Path], tmp_path: Path
) -> None:
    data, reference, other = sums(N), tmp_path / "reference", tmp_path / "other"
    with WorkingEngine(adds, board, tokens=2, gap_s=0.01) as engine:  # type: ignore[arg-type]
        done = joulemark(*bench(engine, data, reference, "--meter", "none"))
        assert done.code == 0, done.err
    with WorkingEngine(never_right, board, tokens=2, gap_s=0.01) as worse:  # type: ignore[arg-type]
        rule = f"decided against {reference}"
        done = joulemark(*bench(worse, data, other, "--meter", "none", "--stop", rule))
        assert done.code == 0, done.err
        stop = json.loads((other / "manifest.json").read_text())["stop"]
        assert stop["stopped"]["at"] < N / 2
        assert "worse than" in stop["stopped"].get("told", stop.get("told"))[0]
        both = joulemark(*bench(worse, data, tmp_path / "x", "--stop", rule, "--stop", "accuracy ±5pp"))
        assert both.code == 2
        assert "no other target" in both.err
    told = joulemark("compare", reference, other, "--stream", "--json").json
    assert (told["decision"], told["winner"], told["n_items"]) == ("winner", "A", N)
    assert told["n"] == stop["stopped"]["at"]
    assert told["order"] == "asked"


@pytest.mark.slow
def test_two_runs_at_work_are_followed(board: object, sums: Callable[[int], Path], tmp_path: Path) -> None:
    data, roots = sums(N), [tmp_path / "a", tmp_path / "b"]
    with (
        WorkingEngine(adds, board, tokens=4, gap_s=0.05) as good,  # type: ignore[arg-type]
        WorkingEngine(never_right, board, tokens=2, gap_s=0.02) as bad,  # type: ignore[arg-type]
    ):
        running = [
            start(*bench(one, data, root, "--meter", "none", "--concurrency", "2"))
            for one, root in zip((good, bad), roots, strict=True)
        ]
        while not all(
            (root / "manifest.json").exists() and (root / "items.jsonl").exists() for root in roots
        ):
            assert all(one.poll() is None for one in running)
        told = joulemark("compare", *roots, "--stream", "--json").json
        for one in running:
            one.communicate(timeout=60)
    assert (told["decision"], told["winner"]) == ("winner", "A")
    again = joulemark("compare", *roots, "--stream", "--json").json
    assert (again["n"], again["difference"], again["e_value"]) == (
        told["n"],
        told["difference"],
        told["e_value"],
    )
    assert again["n_read"] == N


@pytest.mark.slow
def test_a_score_is_decided_by_where_it_is_named(tmp_path: Path, three: list[Path]) -> None:
    for name, more in (("a", 0.0), ("b", 0.2)):
        rows = [f"q{k},1,{(k * 7919 % 10) / 15 + more:.3f},{k % 9}" for k in range(600)]
        (tmp_path / f"{name}.csv").write_text("item_id,correct,bleurt,energy_j\n" + "\n".join(rows))
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    told = joulemark("compare", *both, "--stream", "--metric", "bleurt", "--json").json
    assert (told["decision"], told["winner"], told["metric"]) == ("winner", "B", "score")
    ranked = joulemark("frugal", "rank", *both, "--metric", "bleurt", "--json")
    assert [one["name"] for one in ranked.json["models"]] == ["b", "a"]
    cost = joulemark("frugal", "rank", *both, "--metric", "energy_j")
    assert cost.code == 2
    assert "a cost has none" in " ".join(cost.err.split())
    without = joulemark("compare", *both, "--metric", "bleurt")
    assert (without.code, "--stream" in without.err) == (2, True)


def test_a_run_has_the_figure_that_it_was_graded_by(tmp_path: Path) -> None:
    same = [answer(k, k % 2 == 0) for k in range(N)]
    runs = [finished(tmp_path / name, same) for name in "ab"]
    told = joulemark("compare", *runs, "--stream", "--metric", "accuracy", "--json")
    assert told.code == 0, told.err
    refused = joulemark("compare", *runs, "--stream", "--metric", "score")
    assert refused.code == 2
    assert "graded by right and wrong" in " ".join(refused.err.split())
