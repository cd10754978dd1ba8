"""The file that an accepted generator goes into: a problem's own file, or a line of JSON."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.draft import Draft
from joulemark.code.drafting.making import NotMade, asked_of, make
from joulemark.code.drafting.rewritten import Unwritable, rewritten
from joulemark.code.grading.compare import same
from joulemark.code.problems.problem import Checker, Problem
from joulemark.code.problems.problem_file import parse_problem
from joulemark.code.problems.registry import BUILT_IN, PROBLEM_FILE, ProblemSet, write_problems
from joulemark.files.atomic import write_whole
from joulemark.record.errors import InputError

_PYTHON, _JSON = ".py", ".jsonl"


class Target:
    """Where a generator is written. Raises `InputError` where that could never be."""

    def __init__(self, path: Path, found: ProblemSet, problem: Problem) -> None:
        self._path, self._problem = path, problem
        self._text: str | None = None
        if path.suffix not in (_PYTHON, _JSON):
            raise InputError(f"--out {path} is neither FILE.py nor FILE.jsonl")
        if not path.parent.is_dir():
            raise InputError(f"--out {path} cannot be written", why=f"there is no folder {path.parent}")
        if path.suffix == _PYTHON:
            self._text = _text_of(found, problem)
            if self._text is None:
                raise InputError(
                    f"--out {path} cannot hold {problem.problem_id}",
                    why=f"a problem of {problem.origin} does not come from a .py file",
                    fix=f"--out {path.with_suffix(_JSON)}",
                )

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def why_not(self, sandbox: Sandbox, draft: Draft) -> str | None:
        """Return why a draft cannot be written here, null where what is read back makes the same inputs."""
        problem = self._problem
        if self._text is None:
            return None
        try:
            text = self._content(draft)
        except Unwritable as error:
            return str(error)
        back = parse_problem(text, problem.problem_id).generator
        if back is None or (back.sizes, back.shapes) != (draft.sizes, draft.shapes):
            return "its sizes or shapes are others in the file"
        asked = asked_of(problem, draft, 1)
        wanted = (*asked.small, *asked.medium)
        try:
            pairs = zip(
                make(sandbox, problem, draft.source, wanted, 1),
                make(sandbox, problem, back.source, wanted, 1),
                strict=True,
            )
            if all(same(first, second, Checker()) for first, second in pairs):
                return None
        except NotMade as failure:
            return f"as one function it fails: {failure.why}"
        return "as one function it makes other inputs: no two of its names may be the same"

    def write(self, draft: Draft) -> None:
        """Write the problem with the generator. Raises `InputError` where the disk does not take it."""
        try:
            write_whole(self._path, self._content(draft).encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise InputError(f"{self._path} cannot be written", why=error.strerror or str(error)) from error

    def _content(self, draft: Draft) -> str:
        if self._text is not None:
            return rewritten(self._text, self._problem, draft)
        return write_problems([draft.put_into(self._problem)])


def _text_of(found: ProblemSet, problem: Problem) -> str | None:
    """Return the text of the file that a problem was read from, null where that is no problem file."""
    name = f"{problem.problem_id}{_PYTHON}"
    if found.kind == BUILT_IN:
        return resources.files("joulemark.code.problems").joinpath("built_in", name).read_text("utf-8")
    if found.kind != PROBLEM_FILE:
        return None
    path = Path(found.name)
    return (path / name if path.is_dir() else path).read_text("utf-8")
