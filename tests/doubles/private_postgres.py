"""A PostgreSQL server of one's own, of Debian's package: in a temporary folder, gone afterwards."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

_NOBODY = 65534  # the server refuses to run as root
_PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def binaries() -> Path | None:
    """Return the folder of the server's programs, null where it is not installed."""
    found = shutil.which("initdb")
    places = [*_PLACES, *([Path(found).parent] if found else [])]
    return next((one for one in places if (one / "initdb").exists() and (one / "postgres").exists()), None)


@dataclass(slots=True)
class Server:
    """A server that runs; `database` makes an empty one in it."""

    programs: Path
    folder: Path
    user: list[str]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / ".s.PGSQL.5432"

    def database(self) -> str:
        """Make a database and return its address."""
        name = f"board_{next(self._numbers)}"
        self.run("psql", "-q", "-d", "postgres", "-c", f"CREATE DATABASE {name}")
        return f"postgresql://board@/{name}?unix_sock={quote(str(self.socket))}"

    def run(self, program: str, *arguments: str) -> str:
        """Run a client program against it and return what it printed."""
        command = [str(self.programs / program), "-h", str(self.folder), "-U", "board", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@contextmanager
def postgres(*options: str) -> Iterator[Server]:
    """Start a server (``options``: settings such as ``shared_buffers=256MB``) and stop it afterwards.

    Raises ``FileNotFoundError`` where it is not installed.
    """
    programs = binaries()
    if programs is None:
        raise FileNotFoundError("no PostgreSQL server is installed")
    root = Path(tempfile.mkdtemp(prefix="joulemark-pg-"))
    is_root = os.geteuid() == 0
    numbers = (f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
    user = ["setpriv", *numbers] if is_root else []
    if is_root:
        os.chown(root, _NOBODY, _NOBODY)
    data = root / "data"
    server = Server(programs, root, user)
    try:
        made = ["initdb", "-D", str(data), "-U", "board", "-A", "trust", "-E", "UTF8", "--no-sync"]
        _run([*user, str(programs / made[0]), *made[1:]], root)
        settings = [f"unix_socket_directories={root}", "listen_addresses=", "max_connections=100", *options]
        flags = [part for one in settings for part in ("-c", one)]
        with (root / "log").open("wb") as log:
            process = subprocess.Popen(
                [*user, str(programs / "postgres"), "-D", str(data), *flags],
                cwd=root,
                stdout=log,
                stderr=log,
            )
        try:
            _wait(server, process)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr[-2000:]}")


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError((server.folder / "log").read_text()[-2000:])
        if server.socket.exists():
            try:
                server.run("psql", "-q", "-d", "postgres", "-c", "SELECT 1")
            except subprocess.CalledProcessError:
                pass
            else:
                return
        time.sleep(0.05)
    raise RuntimeError("the server did not start within 30 s")
