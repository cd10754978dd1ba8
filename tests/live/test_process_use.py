"""What a process used, also one that forks, closes all its files, or asks from many threads at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from joulemark.live import process_use
from joulemark.live.process_use import rss_pages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

DAEMON = """
import os, sys
from joulemark.live.process_use import rss_pages
assert rss_pages()
if FORKS and os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
os.closerange(3, 1024)
fds = [os.open(f"{sys.argv[1]}/own{n}", os.O_RDWR | os.O_CREAT) for n in range(8)]
for fd in fds:
    os.write(fd, b"1 7 1\\n")
for _ in range(3):
    pages = rss_pages()
    assert pages is not None and pages > 100, pages
for fd in fds:
    os.write(fd, b"more")
"""

CROWD = """
import os, sys, threading
from joulemark.live.process_use import rss_pages
sys.setswitchinterval(1e-6)
rss_pages()
for _ in range(30):
    if not os.fork():
        failed, start = [], threading.Barrier(16)
        def ask():
            start.wait()
            try:
                assert rss_pages()
            except BaseException as error:
                failed.append(error)
        before = len(os.listdir("/proc/self/fd"))
        threads = [threading.Thread(target=ask) for _ in range(16)]
        [one.start() for one in threads]
        [one.join() for one in threads]
        assert len(os.listdir("/proc/self/fd")) <= before + 1
        os._exit(bool(failed))
    assert os.wait()[1] == 0
"""


def run(program: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, timeout=60)


@pytest.mark.parametrize("forks", [True, False])
def test_a_daemon_keeps_the_files_that_it_opens(forks: bool, tmp_path: Path) -> None:
    run(f"FORKS = {forks}\n{DAEMON}", str(tmp_path))
    assert {one.read_bytes() for one in tmp_path.iterdir()} == {b"1 7 1\nmore"}


def test_many_threads_of_a_fork_ask_at_once() -> None:
    run(CROWD)


def test_a_fork_while_the_account_is_opened_does_not_stand_still() -> None:
    with process_use._opening:
        pid = os.fork()
        if not pid:
            os._exit(rss_pages() is None)
    assert os.waitpid(pid, 0)[1] == 0


def test_what_is_asked_again_opens_nothing() -> None:
    assert rss_pages()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        threading.Thread(target=rss_pages).run()
        assert rss_pages()
    assert len(os.listdir("/proc/self/fd")) == before
