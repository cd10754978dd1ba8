"""Bad input gets one sentence, the reason and the command that fixes it; exit code 2, no traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.user import Finished, adds, bench, joulemark
from doubles.working_engine import WorkingEngine

Sums = Callable[[int], Path]


def assert_plain_error(done: Finished, *said: str) -> None:
    assert done.code == 2, (done.code, done.err)
    assert "Traceback" not in done.err
    assert done.err.rstrip().splitlines()
    assert "error:" in done.err.lower()
    for words in said:
        assert words in done.err, done.err


def test_an_engine_that_nobody_started(sums: Sums, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = joulemark(
        "bench", "run", "gsm8k", "--data", sums(2), "--engine", "http://127.0.0.1:9", "--out", out
    )
    assert_plain_error(done, "127.0.0.1:9", "fix:")
    assert not out.exists()


def test_a_model_that_the_engine_has_not(sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds) as engine:
        done = joulemark(*bench(engine, sums(2), tmp_path / "run", "--model", "other-7b"))
    assert_plain_error(done, "other-7b", "worker-1b", "--model")


def test_a_key_variable_that_is_not_set(sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds) as engine:
        done = joulemark(*bench(engine, sums(2), tmp_path / "run", "--api-key-env", "NO_SUCH_KEY"))
    assert_plain_error(done, "NO_SUCH_KEY", "fix:")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bench", "run", "gsm8k"], ("--data",)),
        (["bench", "run", "gsm8k", "--data", "nowhere.jsonl"], ("nowhere.jsonl", "fix:")),
        (["bench", "run", "gsm9k"], ("gsm9k", "gsm8k")),
        (["bench", "quick", "--model", "nowhere.gguf"], ("nowhere.gguf", "fix:")),
        (["bench", "quick", "--meter", "wattmeter"], ("wattmeter", "fix:")),
        (["bench", "quick", "--meter", "replay:nowhere.csv"], ("nowhere.csv", "fix:")),
        (["report", "nowhere"], ("nowhere", "joulemark runs")),
        (["engine", "parse", "nowhere.sse"], ("nowhere.sse",)),
        (["bench", "quick", "--engine", "no url"], ("no url",)),
        (["bench", "quick", "--concurrency", "0"], ("--concurrency",)),
        (["bench", "quick", "--temperature", "nan"], ("nan",)),
        (["bench", "quick", "--timeout", "inf"], ("inf",)),
        (["bench", "quick", "--seed", "99999999999999999999999"], ("--seed",)),
        (["bench", "quick", "--board", "9"], ("--board 9", "fix:")),
        (["bench", "quick", "--board", "0", "--meter", "none"], ("--board 0",)),
        (["bench", "quick", "--meter", "rapl"], ("rapl", "fix:")),
    ],
)
def test_input_that_cannot_be_used(arguments: list[str], said: tuple[str, ...], tmp_path: Path) -> None:
    if arguments[:2] == ["bench", "quick"]:
        arguments = [*arguments, "--out", str(tmp_path / "run")]
    assert_plain_error(joulemark(*arguments), *said)


def test_a_malformed_task_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"question": "a", "answer": "#### 1"}\n{"question": "b"\n')
    done = joulemark("bench", "run", "gsm8k", "--data", path, "--out", tmp_path / "run")
    assert_plain_error(done, "broken.jsonl", "line 2")


def test_the_traceback_is_there_when_asked_for() -> None:
    done = joulemark("--debug", "report", "nowhere")
    assert "Traceback" in done.err


@pytest.mark.slow
def test_another_configuration_does_not_overwrite_a_run(sums: Sums, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with WorkingEngine(adds, gap_s=0.001) as engine:
        assert joulemark(*bench(engine, sums(3), out, "--meter", "none")).code == 0
        before = (out / "items.jsonl").read_bytes()
        done = joulemark(*bench(engine, sums(3), out, "--meter", "none", "--temperature", "0.7"))
        assert_plain_error(done, "another configuration", "--out")
    assert (out / "items.jsonl").read_bytes() == before


def test_a_directory_that_cannot_be_written(sums: Sums, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    with WorkingEngine(adds, gap_s=0.001) as engine:
        assert_plain_error(joulemark(*bench(engine, sums(2), place / "run")), str(place))


@pytest.mark.slow
def test_an_engine_that_breaks_connections_and_lives_fails_its_requests(sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds, gap_s=0.001) as engine:

        def break_down(number: int) -> None:
            if number > 2:
                raise OSError("broken")

        engine.on_request = break_down
        done = joulemark(*bench(engine, sums(4), tmp_path / "run", "--retries", "0"))
    assert done.code == 1, done.err
    assert done.json["verdicts"]["failed"] == 4
    assert "Traceback" not in done.err


def test_nothing_answered_is_exit_code_one(sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds, gap_s=0.001) as engine:
        engine.refuse_after = 2
        done = joulemark(*bench(engine, sums(4), tmp_path / "run", "--retries", "0"))
    assert done.code == 1, done.err
    assert done.json["verdicts"]["failed"] == 4


def test_doctor_without_any_meter_says_how_to_get_one(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    roots = ("JOULEMARK_POWERCAP", "JOULEMARK_SYS", "JOULEMARK_HWMON")
    environment = {**os.environ, **dict.fromkeys(roots, nowhere)}
    done = joulemark("doctor", "--json", env=environment)
    assert done.code == 1
    report = json.loads(done.out)
    assert report["usable"] is False
    assert {source["kind"] for source in report["sources"]} >= {"nvml", "rapl"}
    for source in report["sources"]:
        assert source["why"]
        assert source["fix"]


def test_help_of_every_command_works() -> None:
    for arguments in (
        [],
        ["bench"],
        ["bench", "run"],
        ["doctor"],
        ["engine", "parse"],
        ["task"],
        ["runs"],
        ["report"],
        ["metrics"],
    ):
        done = joulemark(*arguments, "--help")
        assert done.code == 0, (arguments, done.err)
        assert "Usage" in done.out


def test_help_and_import_load_nothing_heavy() -> None:
    code = (
        "import sys, joulemark, joulemark.cli.__main__ as m\n"
        "try: m.main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'polars', 'pydantic', 'numpy', 'altair', 'rich', 'orjson'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_declared_pid_must_be_the_engines(sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds, gap_s=0.001) as engine:
        dead = joulemark(*bench(engine, sums(2), tmp_path / "run", "--engine-pid", "4194303"))
        assert_plain_error(dead, "4194303", "fix:")
        other = joulemark(*bench(engine, sums(2), tmp_path / "run", "--engine-pid", "2"))
    assert_plain_error(other, "--engine-pid 2", "not the engine")


def test_a_terminal_that_cannot_show_a_sign_still_shows_the_rest(tmp_path: Path) -> None:
    done = joulemark("task", "list", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.code == 0, done.err
    assert "quick" in done.out
