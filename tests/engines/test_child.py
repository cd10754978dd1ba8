"""A child process imports the same package as its parent, wherever that came from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import joulemark

PARENT = """
import asyncio, os, pathlib, sys
import joulemark
from joulemark.engines.child import Child
code = "import joulemark, sys; sys.stdin.readline(); print(joulemark.__file__, flush=True); sys.stdin.read()"
async def main():
    os.chdir("/")
    child = Child([sys.executable, "-P", "-c", code], pathlib.Path(sys.argv[1]))
    answer = await child.start(b"hello", deadline_s=20)
    await child.stop()
    print(os.path.realpath(answer.decode().strip()))
asyncio.run(main())
"""


def imported_by_a_child(tmp_path: Path, **options: object) -> Path:
    command = [sys.executable, "-c", PARENT, str(tmp_path / "child.log")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def a_copy_in(folder: Path) -> Path:
    """A second copy of the package, which is not the one that is installed."""
    source = Path(joulemark.__file__).parent
    shutil.copytree(source, folder / "joulemark", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "joulemark" / "__init__.py"


def test_a_relative_pythonpath_holds_after_a_change_of_folder(tmp_path: Path) -> None:
    copy = a_copy_in(tmp_path / "elsewhere")
    environment = {**os.environ, "PYTHONPATH": "elsewhere"}
    assert imported_by_a_child(tmp_path, cwd=tmp_path, env=environment) == copy.resolve()


def test_a_package_beside_the_parent_is_found_by_the_child(tmp_path: Path) -> None:
    copy = a_copy_in(tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    assert imported_by_a_child(tmp_path, cwd=tmp_path, env=environment) == copy.resolve()
