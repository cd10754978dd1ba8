"""Limits of the kernel never go above what is allowed, and unknown ones are left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import joulemark

_PROGRAM = f"""
import resource, sys
sys.path.insert(0, {str(Path(joulemark.__file__).parents[1])!r})
from joulemark.code.inside.limit import limit
resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
limit({{"RLIMIT_NOFILE": 64, "RLIMIT_FSIZE": 1000, "RLIMIT_OF_NOTHING": 5}})
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE))
"""


def test_a_limit_is_clamped_to_the_hard_one() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(50, 50) (1000, 1000)", done.stderr
