"""The scripts of `benchmarks/`, which are no part of the package, as modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

_FOLDER = Path(__file__).parents[2] / "benchmarks"


def script(name: str) -> ModuleType:
    """One of them, which finds the others beside it; the tests of a package without them are skipped."""
    if not (_FOLDER / f"{name}.py").exists():
        pytest.skip("the benchmarks are in the repository alone", allow_module_level=True)
    sys.path.insert(0, str(_FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(_FOLDER))
