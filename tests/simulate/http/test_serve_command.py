"""``joulemark simulate serve`` as a user calls it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from doubles.user import joulemark
from joulemark.simulate.http import PROFILES

COMMAND = (sys.executable, "-m", "joulemark.cli", "simulate", "serve")
SMALL = ("--gpu", "SMALL", "--model", "smollm2-135m")


@contextmanager
def serving(*options: str) -> Iterator[tuple[Any, subprocess.Popen[str]]]:
    """The document that the command prints, and its process, which is ended by Ctrl-C."""
    process = subprocess.Popen(
        [*COMMAND, *SMALL, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        yield json.loads(line), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def fetch(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=20) as answer:
        return json.loads(answer.read())


def test_it_serves_a_task_until_ctrl_c_and_says_what_it_did() -> None:
    with serving("--task", "quick", "--accuracy", "0.5", "--seed", "3", "--profile", "sglang") as (
        told,
        process,
    ):
        assert told["simulated"] is True
        assert told["url"].startswith("http://127.0.0.1:")
        truth = fetch(told["truth"])
        assert truth["task"]["n_items"] == 52
        assert 0.25 < truth["task"]["accuracy"] < 0.75
        question = {"model": told["model"], "messages": [{"role": "user", "content": "Hello"}]}
        answer = fetch(f"{told['url']}/v1/chat/completions", question)
        assert answer["simulated"] is True
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "1 answers to 1 requests" in err
        assert "simulated joules" in err


def test_it_is_reached_at_the_one_address_alone_unless_told() -> None:
    """Another address of the loopback stands for every other one: who listens at all answers there too."""
    for host, answers in (("127.0.0.1", False), ("0.0.0.0", True)):
        with serving("--host", host) as (told, _):
            port = int(told["url"].rpartition(":")[2])
            try:
                socket.create_connection(("127.0.0.2", port), timeout=5).close()
                answered = True
            except OSError:
                answered = False
            assert answered == answers


def test_the_text_names_the_commands_that_measure_it() -> None:
    process = subprocess.Popen([*COMMAND, *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(6)]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 0
    text = "".join(lines)
    assert "nothing here is measured" in text
    assert "joulemark bench run quick --engine http://127.0.0.1:" in text
    assert "joulemark load --synthetic" in text
    assert "/dcgm/metrics?interval_s=0.1'" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile", "siri"), ", ".join(PROFILES)),
        (("--gpu", "abacus"), "H100"),
        (("--model", "gpt-9"), "llama-8b"),
        (("--task", "nosuch"), "task list"),
        (("--task", "quick", "--accuracy", "0.9", "--refused", "0.2"), "lower them"),
        (("--fault", "explode"), "--fault 429"),
        (("--max-batch", "8", "--max-batched-tokens", "4"), "give at least 8"),
        (("--kv-tokens", "3"), "kv_tokens"),
        (("--accuracy", "nan"), "finite"),
        (("--speed", "0"), "0.01"),
    ],
)
def test_what_cannot_be_served_is_refused_with_a_way_out(options: tuple[str, ...], said: str) -> None:
    done = joulemark("simulate", "serve", *options)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_an_address_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = joulemark("simulate", "serve", "--port", port)
    assert done.code == 2
    assert "--port 0" in done.err
