"""The package itself can be run."""

from __future__ import annotations

import subprocess
import sys

import joulemark


def test_the_package_is_the_command() -> None:
    command = [sys.executable, "-m", "joulemark", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"joulemark, version {joulemark.__version__}\n"
