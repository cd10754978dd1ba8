"""An ordinary user of this machine: what a test says is done by a process without any rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import joulemark

_NOBODY = 65534


def python_as_ordinary_user(
    program: str, *arguments: str, timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a Python program as a user that is not root; skips where that cannot be."""
    source = Path(joulemark.__file__).parents[1]
    packages = [path for path in sys.path if path.endswith("site-packages")]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/tmp",
        "PYTHONPATH": os.pathsep.join([str(source), *packages]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [*_become_ordinary(), "-c", program, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout_s, env=environment, cwd="/tmp", check=False
    )


def _become_ordinary() -> list[str]:
    if os.geteuid() != 0:
        return [sys.executable]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("no setpriv here to become another user with")
    become = [setpriv, "--reuid", str(_NOBODY), "--regid", str(_NOBODY), "--clear-groups"]
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # It was started with more rights than it has: whether it may read itself is another question.
    trial = "import os, sys; os.listdir(sys.argv[1]); open(os.path.realpath(sys.executable), 'rb').close()"
    for interpreter in (sys.executable, *(f"{folder}/{name}" for folder in ("/usr/bin", "/usr/local/bin"))):
        tried = subprocess.run(
            [*become, interpreter, "-c", trial, str(Path(joulemark.__file__).parent)],
            capture_output=True,
            check=False,
        )
        if tried.returncode == 0:
            return [*become, interpreter]
    pytest.skip(f"no {name} that another user may start and that can read the source")
