"""A board that is killed while it takes bundles: what it answered is there, and nothing is there by half."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from doubles.boards import bundle

N, ROUNDS, SENDERS = 30, 2, 3


def _start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "joulemark.cli", "board", "serve", "--port", "0", "--json"]
    command += ["--submissions-per-hour", "100000"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}
    )
    assert process.stdout is not None
    url = json.loads(process.stdout.readline())["url"]
    return process, url


def _post(url: str, data: bytes) -> int | None:
    """Send a bundle; returns the status, null where the board went away."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {"Content-Type": "application/zip", "Idempotency-Key": hashlib.sha256(data).hexdigest()}
    try:
        connection.request("POST", "/api/v1/submissions", data, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _send(url: str, several: list[bytes], answered: set[bytes]) -> None:
    for data in several:
        status = _post(url, data)
        if status is None:
            return
        if status in (200, 201, 202):
            answered.add(data)


def _require_whole(path: Path, answered: set[bytes]) -> int:
    """Look into the file: what was answered is there byte for byte, and nothing without its other parts."""
    database = sqlite3.connect(path)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        stored = dict(database.execute("SELECT digest, data FROM bundles"))
        known = {row[0] for row in database.execute("SELECT digest FROM submissions")}
        runs = {row[0] for row in database.execute("SELECT digest FROM runs")}
        marked = {row[0] for row in database.execute("SELECT DISTINCT digest FROM run_marks")}
        logged = {row[0] for row in database.execute("SELECT subject FROM audit_log")}
        listed = [json.loads(row[0])["runs"] for row in database.execute("SELECT row FROM configurations")]
    finally:
        database.close()
    for data in answered:
        assert stored[hashlib.sha256(data).hexdigest()] == data
    assert known == set(stored) == runs == marked == logged
    assert sorted(digest for several in listed for digest in several) == sorted(known)
    return len(known)


@pytest.mark.slow
def test_killed_at_any_moment_it_keeps_what_it_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    rng = random.Random(7)
    waiting = [bundle(seed=seed, n=8, signer=seed % 5).data for seed in range(N)]
    answered: set[bytes] = set()
    n_before = 0
    for _ in range(ROUNDS):
        process, url = _start(tmp_path)
        assert process.stdout is not None
        with process.stdout:
            left = [data for data in waiting if data not in answered]
            shares = [left[k::SENDERS] for k in range(SENDERS)]
            senders = [threading.Thread(target=_send, args=(url, one, answered)) for one in shares]
            for one in senders:
                one.start()
            began, n_answered = time.monotonic(), len(answered)
            while len(answered) < n_answered + 2 and time.monotonic() < began + 20:
                time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 0.4))
            process.send_signal(signal.SIGKILL)
            process.wait()
            for one in senders:
                one.join()
        n_stored = _require_whole(tmp_path / "board.sqlite", answered)
        assert len(answered) <= n_stored
        assert n_stored > n_before  # it took some, and was killed while it did
        n_before = n_stored
    process, url = _start(tmp_path)
    assert process.stdout is not None
    with process.stdout:
        try:
            assert {_post(url, data) for data in answered} == {200}
            assert all(_post(url, data) in (200, 201) for data in waiting[:4])
        finally:
            process.kill()
            process.wait()
