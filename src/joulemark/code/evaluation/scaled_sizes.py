"""The size of each problem's scaled input on this machine: found once, so that all evaluations share it.

Where each evaluation looked for its own, a noisy clock would give two models inputs of two sizes: ratios to
the reference bear that, costs of a run do not.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import asdict
from pathlib import Path

import orjson

from joulemark.code.measuring.scaled import MOST_NS, TARGET_NS
from joulemark.code.problems.problem import Problem
from joulemark.files.atomic import write_whole
from joulemark.files.homes import cache_home


class ScaledSizes:
    """Sizes by problem in the user's cache, for one environment. A changed problem is another one."""

    def __init__(self, environment_id: str, folder: Path | None = None) -> None:
        self._folder = (folder or cache_home() / "code-scaled") / environment_id

    def of(self, problem: Problem) -> int | None:
        """Return the size that was found for a problem, null where none was."""
        try:
            size = orjson.loads(self._file(problem).read_bytes())["size"]
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return None
        return size if type(size) is int and size > 0 else None

    def keep(self, problem: Problem, size: int) -> None:
        """Keep a size. Where it cannot be kept, the next evaluation looks for its own."""
        if self.of(problem) == size:
            return
        with contextlib.suppress(OSError):
            write_whole(self._file(problem), orjson.dumps({"size": size}), make_folder=True)

    def _file(self, problem: Problem) -> Path:
        generator = None if problem.generator is None else asdict(problem.generator)
        what = [problem.problem_id, problem.prelude, problem.canonical, problem.entry_point, generator]
        text = orjson.dumps([what, TARGET_NS, MOST_NS], option=orjson.OPT_SORT_KEYS)
        return self._folder / f"{hashlib.sha256(text).hexdigest()[:32]}.json"
