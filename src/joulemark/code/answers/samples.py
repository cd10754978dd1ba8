"""Files of answers made elsewhere, and which problem each of them answers.

EvalPlus: JSON lines of ``task_id`` with ``solution`` (a program) or ``completion`` (the rest of the prompt).
EffiBench: a JSON list of its records with ``completion`` (an answer). ENAMEL: lists of programs by the
problem's number. COFFE: ``{prompt: [[answer, …], valid]}``.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from joulemark.code.answers.program import Extracted, completion_of, given_program, program_of
from joulemark.code.problems.importers.rows import SAMPLE_FORMS, SAMPLES, Row, read_document, read_rows
from joulemark.code.problems.problem import Problem
from joulemark.record.errors import InputError

MAX_SAMPLES = 10_000
"""Most samples of one problem."""


class Form(StrEnum):
    """What a sample's text is."""

    PROGRAM = "program"
    COMPLETION = "completion"
    ANSWER = "answer"


class Layout(StrEnum):
    """How a file of samples is written."""

    EVALPLUS = "evalplus"
    EFFIBENCH = "effibench"
    ENAMEL = "enamel"
    COFFE = "coffe"


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to one problem; ``number`` counts the problem's samples from 0."""

    problem_id: str
    number: int
    text: str
    form: Form


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of a file for given problems.

    ``unanswered``: problems without a sample; ``n_foreign``: samples of other problems, which are left out,
    and ``foreign`` the ids that they name.
    """

    layout: Layout
    samples: tuple[Sample, ...]
    unanswered: tuple[str, ...]
    n_foreign: int
    foreign: tuple[str, ...] = ()


def extract(sample: Sample, problem: Problem) -> Extracted:
    """Return the program of a sample."""
    if sample.form is Form.PROGRAM:
        return given_program(sample.text, problem)
    if sample.form is Form.COMPLETION:
        return completion_of(sample.text, problem)
    return program_of(sample.text, problem)


def read_samples(path: Path, problems: Iterable[Problem], *, layout: Layout | None = None) -> Samples:
    """Read a file of samples for ``problems``; its layout is told by its content. Raises `InputError`."""
    known = list(problems)
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(".jsonl") and layout is not Layout.EVALPLUS:
        document = read_document(path, holds=SAMPLES)
        found = layout or _layout_of(document)
        if found is Layout.ENAMEL:
            return _collected(Layout.ENAMEL, _enamel(path, document), known)
        if found is Layout.COFFE:
            return _collected(Layout.COFFE, _coffe(path, document, known), known)
    return _of_rows(path, known, layout)


def _layout_of(document: Any) -> Layout | None:
    if isinstance(document, list):
        return Layout.ENAMEL if document and all(isinstance(one, list) for one in document) else None
    if isinstance(document, dict) and document:
        if all(key.isdecimal() for key in document):
            return Layout.ENAMEL
        if all(isinstance(one, list) and one and isinstance(one[0], list) for one in document.values()):
            return Layout.COFFE
    return None


_Found = tuple[str, str, Form]


def _collected(layout: Layout, found: Sequence[_Found], problems: Sequence[Problem]) -> Samples:
    known = {one.problem_id for one in problems}
    counts: dict[str, int] = defaultdict(int)
    samples = []
    for problem_id, text, form in found:
        if problem_id not in known:
            continue
        if counts[problem_id] == MAX_SAMPLES:
            raise InputError(f"{problem_id} has more than {MAX_SAMPLES} samples", fix="score them in parts")
        samples.append(Sample(problem_id, counts[problem_id], text, form))
        counts[problem_id] += 1
    if not samples:
        raise _none_answers([name for name, _, _ in found], known)
    unanswered = tuple(one.problem_id for one in problems if one.problem_id not in counts)
    foreign = tuple(dict.fromkeys(name for name, _, _ in found if name not in known))
    return Samples(layout, tuple(samples), unanswered, len(found) - len(samples), foreign)


def nearest(names: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return, of each name that is none of ``known``, the one that it was most likely meant to be."""
    there = sorted(known)
    found = {name: difflib.get_close_matches(name, there, n=1, cutoff=0.8) for name in names}
    return {name: near[0] for name, near in found.items() if near}


def _none_answers(names: Sequence[str], known: Collection[str]) -> InputError:
    """Return the error of a file of which no sample is of the problems."""
    near = nearest(dict.fromkeys(names[:3]), known)
    if near:
        return InputError(
            "no sample answers one of the problems",
            why="; ".join(f"{name[:60]!r} is none: did you mean {one!r}?" for name, one in near.items()),
            fix="joulemark code problems   # lists ids to mend yours by; --problems names others",
        )
    return InputError(
        "no sample answers one of the problems",
        why=f"the file's ids are like {names[0][:60]!r}" if names else "the file holds none",
        fix="name the problems that were answered with --problems",
    )


def _of_rows(path: Path, problems: Sequence[Problem], layout: Layout | None) -> Samples:
    contents = read_rows(path, holds=SAMPLES)
    first = contents.rows[0].fields
    if layout is None:
        layout = Layout.EFFIBENCH if "problem_idx" in first else Layout.EVALPLUS
    if layout is Layout.EFFIBENCH:
        rows = [
            (f"EffiBench/{_id(row, 'problem_idx')}", row.text("completion", may_be_empty=True))
            for row in contents.rows
        ]
        return _collected(layout, [(one, text, Form.ANSWER) for one, text in rows], problems)
    return _collected(layout, [_evalplus(row) for row in contents.rows], problems)


def _id(row: Row, name: str) -> str:
    return row.identity(name)


def _evalplus(row: Row) -> _Found:
    if "task_id" not in row.fields:
        raise row.fault(
            f'it has no "task_id"; its fields are {", ".join(row.fields)[:120]}', f"write {SAMPLE_FORMS}"
        )
    identity = row.identity("task_id")
    identity = f"Mbpp/{identity}" if identity.isdecimal() else identity
    for name, form in (("solution", Form.PROGRAM), ("completion", Form.COMPLETION), ("answer", Form.ANSWER)):
        if name in row.fields:
            return identity, row.text(name, may_be_empty=True), form
    raise row.fault(
        f'it has neither "solution", "completion" nor "answer"; its fields are {", ".join(row.fields)[:120]}',
        f"write {SAMPLE_FORMS}",
    )


def _enamel(path: Path, document: Any) -> list[_Found]:
    items: Iterable[tuple[Any, Any]] = document.items() if isinstance(document, dict) else enumerate(document)
    found = []
    for index, codes in items:
        if not isinstance(codes, list) or not all(isinstance(one, str) for one in codes):
            raise _fault(path, f"problem {str(index)[:20]}", "it must be a list of programs")
        if not str(index).isdecimal() or len(str(index)) > 9:
            raise _fault(path, f"problem {str(index)[:20]!r}", "its number must be a whole one")
        found += [(f"HumanEval/{int(index)}", one, Form.PROGRAM) for one in codes]
    return found


def _coffe(path: Path, document: Any, problems: Sequence[Problem]) -> list[_Found]:
    if not isinstance(document, dict):
        raise _fault(path, "the document", "it must be an object whose keys are prompts")
    by_prompt = {one.prompt: one.problem_id for one in problems if one.prompt is not None}
    found = []
    for number, (prompt, value) in enumerate(document.items(), start=1):
        answers = value[0] if isinstance(value, list) and value else None
        if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
            raise _fault(path, f"item {number}", "it must be [[answer, …], valid]")
        problem_id = by_prompt.get(prompt, prompt[:60])
        found += [(problem_id, one, Form.ANSWER) for one in answers]
    return found


def _fault(path: Path, place: str, why: str) -> InputError:
    return InputError(f"{path}, {place} cannot be used", why=why, fix="take the file anew from what wrote it")


def by_problem(samples: Samples) -> Mapping[str, tuple[Sample, ...]]:
    """Return the samples of each problem, in the file's order."""
    grouped: dict[str, list[Sample]] = defaultdict(list)
    for one in samples.samples:
        grouped[one.problem_id].append(one)
    return {name: tuple(found) for name, found in grouped.items()}
