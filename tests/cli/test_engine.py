"""``joulemark engine`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from doubles.engine_server import EngineServer
from doubles.listeners import Listener, silent
from doubles.ollama_server import ollama_routes
from joulemark.cli.engine import engine
from joulemark.engines import usual_addresses
from joulemark.record.errors import InputError


def run(*arguments: str) -> Result:
    return CliRunner().invoke(engine, list(arguments), catch_exceptions=True)


@pytest.fixture
def no_ports(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Only what the environment names is looked at: other engines may run on this machine."""
    monkeypatch.setattr(usual_addresses.usual_addresses, "__defaults__", ({}, None))
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


# -- list ----------------------------------------------------------------------------------------------------


def test_a_running_engine_is_listed_with_the_command_for_it(no_ports: pytest.MonkeyPatch) -> None:
    with EngineServer(ollama_routes()) as server:
        no_ports.setenv("OLLAMA_HOST", f"127.0.0.1:{server.port}")
        result = run("list")
    assert result.exit_code == 0
    assert f"ollama 0.33.3 at {server.url}, process " in result.stdout
    assert "models: tiny:1b" in result.stdout
    assert f"measure: joulemark bench quick --engine {server.url}" in result.stdout


def test_the_list_as_json(no_ports: pytest.MonkeyPatch) -> None:
    with EngineServer(ollama_routes()) as server, Listener(silent) as quiet:
        no_ports.setenv("OLLAMA_HOST", server.url)
        no_ports.setenv("OPENAI_BASE_URL", quiet.url)
        result = run("list", "--json")
    found = json.loads(result.stdout)
    assert [entry["kind"] for entry in found["found"]] == ["ollama"]
    assert found["found"][0]["named_by"] == "OLLAMA_HOST"
    assert [entry["url"] for entry in found["passed_over"]] == [quiet.url]
    assert found["tried"] == [server.url, quiet.url]


def test_nothing_found_says_what_was_tried(no_ports: pytest.MonkeyPatch) -> None:
    no_ports.setenv("OLLAMA_HOST", "127.0.0.1:1")
    result = run("list")
    assert result.exit_code == 1
    assert "Tried: http://127.0.0.1:1\n" in result.stdout
    assert "ollama serve" in result.stdout


def test_names_of_models_do_not_steer_the_terminal(no_ports: pytest.MonkeyPatch) -> None:
    with EngineServer({"GET /v1/models": {"data": [{"id": "m\x1b[2J\nx"}]}}) as server:
        no_ports.setenv("OPENAI_BASE_URL", server.url)
        result = run("list")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout


# -- conformance ---------------------------------------------------------------------------------------------

BODY = (
    'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n'
    "data: [DONE]\n\n"
)


def corpus(folder: Path, **changes: Any) -> Path:
    """A corpus of one case; ``changes`` are made to what is expected."""
    body = folder / "01_demo_case.sse"
    body.write_text(BODY)
    read = json.loads(run("parse", str(body), "--json").stdout)
    expected = {**read, "why": "a plain case", **changes}
    (folder / "01_demo_case.sse.expect.json").write_text(json.dumps(expected))
    return folder


def test_a_corpus_that_is_read_right_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("conformance", str(corpus(tmp_path)), "--html", str(page))
    assert (result.exit_code, result.stdout) == (0, f"1 of 1 cases pass\npage: {page}\n")
    text = page.read_text()
    assert "1 of 1" in text
    assert "a plain case" in text


def test_a_case_that_is_read_otherwise_fails_and_says_where(tmp_path: Path) -> None:
    result = run("conformance", str(corpus(tmp_path, text="Goodbye", usage=None)))
    assert result.exit_code == 3
    assert (
        'text (whole, byte by byte, cut at random, cut at event edges)\n    expected "Goodbye"'
        in result.stdout
    )
    assert 'read     "Hello"' in result.stdout
    assert "0 of 1 cases pass" in result.stdout


def test_the_results_as_json(tmp_path: Path) -> None:
    result = run("conformance", str(corpus(tmp_path, text="Goodbye")), "--json", "--seed", "5")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["passed"], found["failed"], found["seed"]) == (3, 0, 1, 5)
    (case,) = found["cases"]
    assert (case["file"], case["why"], case["passed"]) == ("01_demo_case.sse", "a plain case", False)
    whole = [{"field": "text", "expected": '"Goodbye"', "read": '"Hello"'}]
    assert case["ways"]["whole"] == case["ways"]["byte by byte"] == whole


def test_the_page_escapes_everything_and_loads_nothing(tmp_path: Path) -> None:
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
    page = tmp_path / "page.html"
    folder = corpus(tmp_path, why=hostile, text=hostile, **{hostile: hostile})
    (folder / "<b>.sse").write_text(BODY)
    (folder / "<b>.sse.expect.json").write_text("{")
    assert run("conformance", str(folder), "--html", str(page)).exit_code == 3
    text = page.read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert "<b>.sse" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize("name", ["nothing-here", "empty"])
def test_no_corpus_is_an_error_with_a_fix(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("conformance", str(tmp_path / name))
    assert isinstance(result.exception, InputError)
    assert result.exception.fix


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    result = run("conformance", str(corpus(tmp_path)), "--html", str(tmp_path / "none" / "page.html"))
    assert isinstance(result.exception, InputError)
    assert "could not be written" in result.exception.what
