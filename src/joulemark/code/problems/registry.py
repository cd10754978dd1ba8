"""Problems by name, file or folder, of whatever origin."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from joulemark.code.problems import problem_json
from joulemark.code.problems.importers import coffe, effibench, enamel, humaneval, mbpp, mbpp_plus
from joulemark.code.problems.importers.rows import Row, make_problems, read_rows
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.problem_file import parse_problem, read_problem_file
from joulemark.record.errors import InputError

BUILT_IN = "built_in"
PROBLEM_FILE, OWN = "problem_file", "joulemark"
_LICENCE = "Apache-2.0"
_FILES_END_IN = frozenset({".jsonl", ".json", ".gz", ".csv", ".py"})
_PUBLISHED = {
    "humaneval": "openai/human-eval",
    "mbppplus": "evalplus/mbppplus",
    "mbpp": "google-research/google-research (its folder mbpp)",
}
"""By how its file's name begins, the project on GitHub (MBPP+: on the hub) that publishes a set."""
_PACKAGE = "joulemark.code.problems"


def _own(rows: Sequence[Row]) -> tuple[Problem, ...]:
    return make_problems(rows, problem_json.from_row)


_OF_ROWS: Mapping[str, tuple[Callable[[Sequence[Row]], tuple[Problem, ...]], tuple[str, ...]]] = {
    OWN: (_own, (problem_json.FORMAT,)),
    enamel.ORIGIN: (enamel.read, enamel.FIELDS),
    effibench.ORIGIN: (effibench.read, effibench.FIELDS),
    mbpp_plus.ORIGIN: (mbpp_plus.read, mbpp_plus.FIELDS),
    humaneval.ORIGIN: (humaneval.read, humaneval.FIELDS),
    mbpp.ORIGIN: (mbpp.read, mbpp.FIELDS),
}
"""Readers of rows, and the fields that a row is recognised by; the first that fits is taken."""
KINDS = (PROBLEM_FILE, *_OF_ROWS, coffe.FUNCTION, coffe.FILE)


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """Problems of one origin. ``name``: what was asked for; ``revision``: SHA-256 of what was read."""

    name: str
    kind: str
    revision: str
    problems: tuple[Problem, ...]

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def by_id(self) -> dict[str, Problem]:
        """Return the problems by their ids."""
        return {one.problem_id: one for one in self.problems}


def load_problems(name_or_path: str | Path, *, kind: str | None = None) -> ProblemSet:
    """Load problems: ``built_in`` or the name of a built-in one, a file, or a folder.

    What a file holds is told by its content, or by ``kind``, one of `KINDS`. Raises `InputError`.
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"there is no kind of problems {kind!r}", why=f"there are {', '.join(KINDS)}")
    path = Path(name_or_path)
    name = str(name_or_path)
    if kind is None and isinstance(name_or_path, str):
        if name == BUILT_IN:
            return built_in()
        if name in _built_in_files():
            whole = built_in()
            return ProblemSet(name, BUILT_IN, whole.revision, (whole.by_id()[name],))
    if not path.exists():
        raise _unknown(name)
    if path.is_dir():
        return _of_folder(path, name, kind)
    if kind == PROBLEM_FILE or (kind is None and path.suffix == ".py"):
        return _of_files([path], name)
    if kind in (coffe.FUNCTION, coffe.FILE):
        raise InputError(
            f"{name} is a file, and {kind} is a folder of several", fix=f"name the folder: {path.parent}"
        )
    contents = read_rows(path)
    found = kind or _kind_of(contents.rows[0])
    if found is None:
        raise InputError(
            f"{name} holds problems of no known kind",
            why=f"{contents.rows[0].place} has the fields {', '.join(contents.rows[0].fields)[:120]}",
            fix=f"say which it is with --kind, one of {', '.join(KINDS)}",
        )
    return ProblemSet(name, found, contents.revision, _OF_ROWS[found][0](contents.rows))


@cache
def built_in() -> ProblemSet:
    """Return the problems that come with Joulemark."""
    digest = hashlib.sha256()
    problems = []
    for name, file in _built_in_files().items():
        source = file.read_text(encoding="utf-8")
        digest.update(hashlib.sha256(source.encode()).digest())
        problems.append(parse_problem(source, name, place=file.name, origin=BUILT_IN, licence=_LICENCE))
    return ProblemSet(BUILT_IN, BUILT_IN, digest.hexdigest(), tuple(problems))


def _built_in_files() -> dict[str, Traversable]:
    """Return the files of the built-in problems by their names, in order."""
    folder = resources.files(_PACKAGE).joinpath("built_in")
    found = {
        one.name.removesuffix(".py"): one
        for one in (folder.iterdir() if folder.is_dir() else ())
        if one.name.endswith(".py") and not one.name.startswith("_")
    }
    return dict(sorted(found.items()))


def write_problems(problems: Sequence[Problem]) -> str:
    """Return problems as JSON lines that `load_problems` reads."""
    return "".join(problem_json.to_json(one) + "\n" for one in problems)


def _kind_of(row: Row) -> str | None:
    for kind, (_, fields) in _OF_ROWS.items():
        if all(name in row.fields for name in fields):
            return kind
    return None


def _of_folder(path: Path, name: str, kind: str | None) -> ProblemSet:
    found = coffe.kind_of(path)
    if kind in (coffe.FUNCTION, coffe.FILE) and found is None:
        wanted = f"{coffe.DATA}, {coffe.BEST} and {coffe.STRESS}"
        raise InputError(f"{name} holds no problems of COFFE", why=f"it lacks one of {wanted}")
    if found is not None and kind in (None, coffe.FUNCTION, coffe.FILE):
        digest = hashlib.sha256()
        for file in (coffe.DATA, coffe.BEST, coffe.STRESS):
            digest.update(hashlib.sha256((path / file).read_bytes()).digest())
        which = kind or found
        return ProblemSet(name, which, digest.hexdigest(), coffe.read_folder(path, which))
    files = sorted(one for one in path.glob("*.py") if not one.name.startswith("_"))
    if not files or kind not in (None, PROBLEM_FILE):
        raise InputError(
            f"{name} holds no problems",
            why="it is a folder with neither problem files (.py) nor the files of COFFE",
            fix="name the file of the problems",
        )
    return _of_files(files, name)


def _of_files(files: Sequence[Path], name: str) -> ProblemSet:
    digest = hashlib.sha256()
    problems = []
    for file in files:
        problems.append(read_problem_file(file))
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return ProblemSet(name, PROBLEM_FILE, digest.hexdigest(), tuple(problems))


def _unknown(name: str) -> InputError:
    if "/" in name or Path(name).suffix in _FILES_END_IN:
        stem = Path(name).name.lower()
        project = next((project for part, project in _PUBLISHED.items() if stem.startswith(part)), None)
        return InputError(
            f"the file {name} does not exist",
            why=f"it does not come with Joulemark; the project {project} publishes it" if project else "",
            fix="put the file there and name it with its path" if project else "name the file with its path",
        )
    known = sorted({BUILT_IN, *_built_in_files()})
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return InputError(
        f"there are no problems {name!r}",
        why=f"did you mean {' or '.join(near)}?"
        if near
        else "it is no built-in problem, and no file or folder",
        fix="joulemark code problems   # lists what can be named",
    )
