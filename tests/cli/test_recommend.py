"""``joulemark import`` and ``joulemark recommend``, from file to answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from doubles import invoked
from doubles.nvml import FakeNvml
from doubles.published_files import TEXT_HEADER, VIDEO_HEADER, text_file, text_row
from doubles.user import bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.bundles.kinds import KINDS
from joulemark.cli.import_ import import_
from joulemark.cli.recommend import recommend
from joulemark.cli.seconds import seconds

H100, A100 = "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB"


_json = partial(invoked.answer, recommend)
_run, _error = invoked.run, invoked.error


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three configurations of one model and one of another, imported."""
    return invoked.imported(
        tmp_path,
        text_row("org/llama-8b", A100, 100.0, 0.030, 32),
        text_row("org/llama-8b", H100, 60.0, 0.080, 128),
        text_row("org/llama-8b", H100, 50.0, 0.1049, 256),
        text_row("org/llama-70b", H100, 300.0, 0.09, 64),
    )


def test_an_import_tells_what_it_did(tmp_path: Path, rows: Path) -> None:
    done = _run(import_, "mlenergy", tmp_path / "llm_text_generation__chat.csv", "--into", rows, "--json")
    told = json.loads(done.stdout)
    assert (told["state"], told["n_rows"], told["task"], told["unit"]) == ("unchanged", 4, "chat", "request")
    assert told["models"] == ["org/llama-70b", "org/llama-8b"]
    assert Path(told["stored"]).is_file()


_CHAT_ROWS = (TEXT_HEADER, text_row("org/m", H100, 60.0, 0.030, 64))
_IMAGE_ROWS = (
    "Model,GPU,Energy/image (J),Batch latency (s),Batch size,Denoising steps",
    f"org/pictures,{H100},300.0,1.5,1,25",
)
_VIDEO_ROWS = (VIDEO_HEADER, f"org/videos,{H100},9000.0,40.0,1,25,16")


@pytest.mark.parametrize(
    ("name", "lines", "limit"),
    [
        ("llm_text_generation__chat", _CHAT_ROWS, "--max-tpot 100ms"),
        ("llm_text_generation__code", _CHAT_ROWS, "--max-latency 10s"),
        ("mllm_text_generation__chat", _CHAT_ROWS, "--max-tpot 100ms"),
        ("diffusion__text-to-image", _IMAGE_ROWS, "--max-latency 5s"),
        ("diffusion__text-to-video", _VIDEO_ROWS, "--max-latency 60s"),
        ("diffusion__image-to-video", _VIDEO_ROWS, "--max-latency 60s"),
    ],
)
def test_what_an_import_names_next_can_be_run(
    tmp_path: Path, name: str, lines: Sequence[str], limit: str
) -> None:
    path = tmp_path / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n")
    into = tmp_path / "my rows"
    done = _run(import_, "mlenergy", path, "--into", into)
    command = done.stdout.splitlines()[-1].removeprefix("next: joulemark recommend ")
    assert command.endswith(limit)
    assert _json(*shlex.split(command))["pick"] is not None, "the limit bounds a figure that the rows have"


def test_several_imported_tasks_are_named_apart(tmp_path: Path) -> None:
    paths = []
    for name, lines in (("llm_text_generation__chat", _CHAT_ROWS), ("diffusion__text-to-image", _IMAGE_ROWS)):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(lines) + "\n")
    done = _run(import_, "mlenergy", *paths, "--into", tmp_path / "rows")
    lines = [line for line in done.stdout.splitlines() if line.startswith("next: ")]
    assert len(lines) == 2
    for line in lines:
        assert _run(recommend, *shlex.split(line)[3:]).exit_code in (0, 1), line


def test_the_help_names_every_kind() -> None:
    told = " ".join(_run(import_, "--help").stdout.split())
    for kind in KINDS.values():
        assert f"{kind.name} {kind.title}" in told


def test_a_bad_file_is_an_error_and_stores_nothing(tmp_path: Path) -> None:
    path = text_file(tmp_path / "llm_text_generation__chat.csv", "org/m,g,1,1,NaN,1,1,1,1,1")
    error = _error(import_, "mlenergy", path, "--into", tmp_path / "rows")
    assert "line 2, column 'Energy/req (J)'" in error.why
    assert not (tmp_path / "rows").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (f"org/m,{H100},1,1,0.001,0.05,250.0,250.0,16.0,16", "it comes to 0.001 W, less than"),
        (f"org/m,{H100},1,1,60.0,0.05,1000.0,250.0,999.0,16", "its mean batch is 999, of 16 at most"),
        (f"org/m,{H100},1,1,60.0,0.05,1e300,250.0,16.0,16", "more than its devices can draw"),
    ],
)
def test_a_row_that_cannot_be_physical_never_wins_and_is_named(tmp_path: Path, wrong: str, said: str) -> None:
    honest = text_row("org/m", H100, 60.0, 0.080, 64)
    path = text_file(tmp_path / "llm_text_generation__chat.csv", wrong, honest)
    assert _run(import_, "mlenergy", path, "--into", tmp_path / "rows").exit_code == 0
    told = _json(tmp_path / "rows")
    assert told["pick"]["settings"]["max_batch"] == 64
    (left,) = told["left_out"]
    assert said in left["text"]
    plain = " ".join(_run(recommend, tmp_path / "rows").stdout.split())
    assert "Left out: H100 80GB HBM3, batch 16. It cannot be physical" in plain
    assert f"org/m, {H100}, max_batch 16" in plain


def test_zero_joules_are_told_and_never_win(tmp_path: Path) -> None:
    path = text_file(
        tmp_path / "llm_text_generation__chat.csv",
        text_row("org/m", H100, 0.0, 0.05, 64),
        text_row("org/m", H100, 60.0, 0.05, 128),
    )
    done = _run(import_, "mlenergy", path, "--into", tmp_path / "rows")
    assert "1 of them were published with 0 J" in done.stdout
    told = _json(tmp_path / "rows")
    assert (told["energy_j"], told["n_ranked"]) == (60.0, 1)
    assert told["least_energy"]["settings"]["max_batch"] == 128
    assert "published as 0" in told["left_out"][0]["text"]


@pytest.mark.parametrize("limit", ["100ms", "0.1", "0.10s"])
def test_the_answer_in_json(rows: Path, limit: str) -> None:
    told = _json(rows, "--model", "org/llama-8b", "--max-tpot", limit)
    assert told["tpot_s"] == pytest.approx(0.080)
    assert told["energy_j"] == 60.0
    assert told["saving_fraction"] == pytest.approx(0.4)
    assert (told["model"], told["device"], told["settings"]["max_batch"]) == ("org/llama-8b", H100, 128)
    assert told["fastest"]["device"] == A100
    assert told["least_energy"]["energy_j"] == 50.0
    assert (told["n_ranked"], told["n_met"]) == (3, 2)
    assert told["savings"]["default"]["fraction"] is None
    assert told["savings"]["default"]["reason"]["code"] == "not_applicable"
    assert [check["met"] for check in told["limits"]] == [True]


@pytest.mark.parametrize(
    ("asked", "hinted"),
    [
        (("--max-tpot", "100"), "tpot_mean may be 100 seconds a token; write 100ms"),
        (("--max-tpot-p99", "50s"), "tpot_p99 may be 50 seconds a token; write 50ms"),
        (("--limit", "itl_p99=20"), "itl_p99 may be 20 seconds a token; write 20ms"),
        (("--max-tpot", "10"), None),
        (("--max-tpot", "100ms"), None),
        (("--max-latency", "100"), None),
    ],
)
def test_seconds_a_token_that_were_meant_as_milliseconds_are_hinted_at(
    rows: Path, asked: tuple[str, ...], hinted: str | None
) -> None:
    done = _run(recommend, rows, "--model", "llama 8b", *asked, "--json")
    assert (hinted in done.stderr) if hinted else (done.stderr == "")
    json.loads(done.stdout)


def test_the_answer_in_words(rows: Path) -> None:
    done = _run(recommend, rows, "--model", "llama 8b", "--max-tpot", "100ms", "--default", "max_batch=256")
    assert done.exit_code == 0
    for told in (
        "Run H100 80GB HBM3, batch 128: 60.00 J a request at 80.00 ms a token",
        "40.0 % less than the fastest",
        "20.0 % more than the default",
        "no intervals",
        "* pick",
    ):
        assert told in " ".join(done.stdout.split()), told


def test_nothing_within_the_limits_is_exit_code_1_with_the_nearest(rows: Path) -> None:
    told = _json(rows, "--model", "llama 8b", "--max-tpot", "10ms", code=1)
    assert (told["tpot_s"], told["energy_j"], told["saving_fraction"], told["pick"]) == (None,) * 4
    assert told["near_misses"][0]["point"]["device"] == A100
    assert told["near_misses"][0]["worst_share"] == pytest.approx(2)
    assert told["reasons"]["energy_j"]["text"]
    done = _run(recommend, rows, "--model", "llama 8b", "--max-tpot", "10ms")
    assert done.exit_code == 1
    assert "(200.0 % beyond it)" in " ".join(done.stdout.split())


def test_other_limits(rows: Path) -> None:
    told = _json(rows, "--model", "llama 8b", "--budget-j", "70", "--limit", "tpot_iteration_mean=90ms")
    assert told["energy_j"] == 60.0
    told = _json(
        rows,
        "--model",
        "llama 8b",
        "--budget-usd",
        "0.000006",
        "--usd-per-kwh",
        "0.36",
        "--gpu",
        "A100",
        code=1,
    )
    assert told["near_misses"][0]["limits"][0]["name"] == "usd"
    told = _json(rows, "--model", "llama 8b", "--max-tpot-p99", "1s", code=1)
    assert {one["code"] for one in told["left_out"]} == {"not_published"}
    told = _json(rows, "--model", "llama 8b", "--limit", "tokens_per_second=2000")
    assert told["asked"][-1] == {"name": "tokens_per_second", "bound": 2000, "at_least": True}


def test_a_preset_and_all_models(rows: Path) -> None:
    told = _json(rows, "--preset", "chat")
    assert told["asked"] == [{"name": "tpot_mean", "bound": 0.1, "at_least": False}]
    assert any("equally good" in note for note in told["notes"])
    assert _json(rows, "--preset", "chat", "--max-tpot", "200ms")["energy_j"] == 50.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--model", "nobody"), "org/llama-70b"),
        (("--model", "llama"), "several models"),
        (("--task", "code"), "chat"),
        (("--gpu", "B200"), "H100"),
    ],
)
def test_a_choice_that_is_none(rows: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in str(_error(recommend, rows, *arguments))


def test_several_tasks_are_not_ranked_together(rows: Path, tmp_path: Path) -> None:
    code = text_file(
        tmp_path / "llm_text_generation__code.csv", text_row("org/llama-8b", H100, 10.0, 0.05, 64)
    )
    assert _run(import_, "mlenergy", code, "--into", rows).exit_code == 0
    error = _error(recommend, rows, "--model", "llama 8b")
    assert ("chat, code" in error.why, '--task "chat"' in error.fix) == (True, True)
    assert _json(rows, "--model", "llama 8b", "--task", "code")["energy_j"] == 10.0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--max-tpot", "fast"),
        ("--max-tpot", "0"),
        ("--max-tpot", "-1s"),
        ("--max-tpot", "nan"),
        ("--limit", "itl_p99"),
        ("--limit", "speed=1"),
        ("--limit", "itl_p99=x"),
        ("--limit", "accuracy=x"),
        ("--min-accuracy", "1.5"),
        ("--default", "256"),
        ("--mix", "unit"),
    ],
)
def test_a_bad_option_is_exit_code_2(rows: Path, arguments: tuple[str, ...]) -> None:
    assert _run(recommend, rows, *arguments).exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("100ms", 0.1), ("0.1", 0.1), ("5s", 5), ("5 S", 5), ("2min", 120), ("250us", 0.00025)],
)
def test_times(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_the_page(rows: Path, tmp_path: Path) -> None:
    page = tmp_path / "frontier.html"
    told = _json(rows, "--model", "llama 8b", "--max-tpot", "100ms", "--html", page)
    assert told["page"] == str(page)
    assert "<svg" in page.read_text()
    assert _error(recommend, rows, "--html", tmp_path / "frontier.txt").fix


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_measured_runs_come_before_published_rows(
    rows: Path, engine: WorkingEngine, board: FakeNvml, sums: Callable[[int], Path], tmp_path: Path
) -> None:
    done = joulemark(*bench(engine, sums(6), tmp_path / "runs" / "one"), env=board.env)
    assert done.code == 0, done.err
    run = tmp_path / "runs" / "one"
    _judge_client(run, [])
    told = _json(rows, run.parent, "--mix", "scope", "--mix", "tier")
    assert {one["code"] for one in told["left_out"]} == {"other_kind"}
    assert told["kind"] == "measured"
    assert told["energy_j"] == pytest.approx(done.json["joules_per_request"])
    assert told["pick"]["origin"] == str(run)
    assert told["intervals"]["energy_j"]["kind"] == "bound"

    _judge_client(run, ["loop_lag"])
    told = _json(rows, run.parent, "--mix", "scope", "--mix", "tier", "--task", "chat")
    assert told["kind"] == "published"


def _judge_client(run: Path, invalid: list[str]) -> None:
    """Write down what the client of a run is to have been: whether it kept up is up to the machine."""
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    for proof in manifest["client"]:
        proof["invalid"] = invalid
    path.write_text(json.dumps(manifest))
