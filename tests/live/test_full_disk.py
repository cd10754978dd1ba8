"""A program whose temporary disk is full, before or while it measures, goes on: at worst without joules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRACE = "# scope = wall/psu/gpu:0\n# power_max_w = 400\nt_s,energy_j,power_w\n" + "".join(
    f"{0.05 * i:.2f},{100 + 3 * i},60\n" for i in range(1200)
)

PROGRAM = """
import os, signal, sys, tempfile, threading, time
full = threading.Event()
small, when, kind, meters = sys.argv[1:]
tempfile.tempdir = small
if kind == "file" and hasattr(os, "memfd_create"):
    del os.memfd_create
import joulemark
from joulemark.live.session import opened

def fill():
    # whatever is given back is taken again: room of a temporary file that was closed, too
    with open(f"{small}/filler", "wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                full.set()
                time.sleep(0.0005)

def keep_full():
    threading.Thread(target=fill, daemon=True).start()
    full.wait()

def block():
    with joulemark.measure(meters=meters, test_s=0.4) as measured:
        time.sleep(0.002)
    return measured

if when == "before":
    keep_full()
block()
if when == "meanwhile":
    keep_full()
    sampler = opened((meters,))._sampler
    assert sampler is not None
    os.kill(sampler.pid, signal.SIGKILL)
    ends_s = time.monotonic() + 20
    while not (sampler.health.restarts or sampler.health.gave_up) and time.monotonic() < ends_s:
        block()
for _ in range(300):
    last = block()
print("went on", type(last.total).__name__)
"""
MOUNT = """
set -e
mount -t tmpfs -o size=256k none "$1"
echo mounted
exec "$2" -c "$3" "$1" "$4" "$5" "$6"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made by Linux's means")
@pytest.mark.parametrize("kind", ["memory", "file"])
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_full_disk_ends_no_program_that_is_measured(tmp_path: Path, when: str, kind: str) -> None:
    small, trace = tmp_path / "small", tmp_path / "board.csv"
    small.mkdir()
    trace.write_text(TRACE)
    arguments = [str(small), sys.executable, PROGRAM, when, kind, f"replay:{trace}"]
    command = ["unshare", "-rm", "sh", "-c", MOUNT, "sh", *arguments]
    path = os.pathsep.join([str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=90, env={**os.environ, "PYTHONPATH": path}
        )
    except FileNotFoundError:
        pytest.skip("no unshare(1)")
    if not done.stdout.startswith("mounted"):
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "went on" in done.stdout
