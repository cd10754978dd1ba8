"""The program that an answer holds: in a fence or bare, whole or as the rest of the prompt's function."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from joulemark.code.answers.blocks import before_first_fence, blocks_of
from joulemark.code.answers.fit import Budget, Fitted, fitted, starts_of
from joulemark.code.answers.trim import without_examples
from joulemark.code.answers.visible import visible_text
from joulemark.code.problems.importers import coffe
from joulemark.code.problems.importers.needs import needed
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.syntax import NotPython, bound_names, function_of, parse, unbound_names

_READS = ("input", "stdin", "open(0", "fileinput", "raw_input")
_BODY = "\n    pass\n"


class Found(StrEnum):
    """Where the program was found."""

    FENCED = "fenced"
    BARE = "bare"
    COMPLETED = "completed"
    GIVEN = "given"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A program to be run. ``found`` says where it was.

    ``n_examples``: statements of the answer that only show its use and are left out; ``supplied``: source
    that was put before it, from the prompt or from other blocks of the answer. Where nothing was found,
    ``program`` is the answer's text, which will not run.
    """

    program: str
    found: Found
    n_examples: int = 0
    supplied: str = ""


def program_of(answer: str, problem: Problem) -> Extracted:
    """Return the program of a model's answer to a problem. Never raises for what an answer holds."""
    text = visible_text(answer)
    budget = Budget()
    try:
        return _of_text(text, problem, budget)
    except RecursionError:
        return Extracted(text, Found.NOT_FOUND)


def completion_of(answer: str, problem: Problem) -> Extracted:
    """Return the program of a text that goes on where the prompt ends, as base models answer."""
    budget = Budget()
    text = visible_text(answer)
    try:
        for whole in _completions(text, problem, budget):
            return _finished(whole.text, problem, (), Found.COMPLETED)
    except RecursionError:
        return Extracted(text, Found.NOT_FOUND)
    return program_of(answer, problem)


def given_program(source: str, problem: Problem) -> Extracted:
    """Return a program that stands in a file as a whole; only its names are made to fit."""
    return Extracted(_renamed(source, problem), Found.GIVEN)


def _of_text(text: str, problem: Problem, budget: Budget) -> Extracted:
    blocks = [one.text for one in blocks_of(text) if one.may_be_python]
    parsed = [one for one in (_whole(block, budget) for block in blocks) if one is not None and one.tree.body]
    chosen = _last_that_solves(parsed, problem)
    if chosen is not None:
        others = [one.text for one in parsed if one is not chosen]
        return _finished(chosen.text, problem, others, Found.FENCED)
    if len(parsed) > 1 and problem.entry_point:
        joined = _whole("\n\n".join(one.text for one in parsed), budget)
        if joined is not None and _solves(joined, problem):
            return _finished(joined.text, problem, (), Found.FENCED)
    for block in blocks:
        for whole in _completions(block, problem, budget):
            return _finished(whole.text, problem, (), Found.COMPLETED)
    bare = before_first_fence(text)
    for source in (bare, text) if bare != text else (text,):
        for whole in _bare(source, problem, budget):
            return _finished(whole.text, problem, [one.text for one in parsed], Found.BARE)
        for whole in _completions(source, problem, budget):
            return _finished(whole.text, problem, (), Found.COMPLETED)
    if parsed:  # a program all the same, under a name that was not asked for
        return _finished(parsed[0].text, problem, [one.text for one in parsed[1:]], Found.FENCED)
    return Extracted(blocks[-1] if blocks else text, Found.NOT_FOUND)


def _whole(block: str, budget: Budget) -> Fitted | None:
    try:
        return Fitted(block, budget.parse(block))
    except NotPython:
        return None


def _last_that_solves(parsed: Sequence[Fitted], problem: Problem) -> Fitted | None:
    """Return the last block that can be the answer: a model that corrects itself does so below."""
    for one in reversed(parsed):
        if _solves(one, problem):
            return one
    return None


def _solves(whole: Fitted, problem: Problem) -> bool:
    """Tell whether a program defines what is to be called, or reads input where that is asked for."""
    if problem.reads_input:
        return any(word in whole.text for word in _READS) or _only_prints(whole)
    root = _root(problem)
    names = {root} | ({coffe.RENAMED} if problem.origin == coffe.FUNCTION else set())
    return any(bound_names(node) & names for node in whole.tree.body if not isinstance(node, ast.Expr))


def _only_prints(whole: Fitted) -> bool:
    return "print(" in whole.text and all(isinstance(node, ast.Expr) for node in whole.tree.body)


def _root(problem: Problem) -> str:
    return problem.entry_point.partition(".")[0]


def _bare(text: str, problem: Problem, budget: Budget) -> Iterator[Fitted]:
    """Yield programs that stand in a text without a fence, prose around them or not."""
    stripped = textwrap.dedent(text).strip("\n")
    if stripped.strip().startswith("`") and stripped.strip().endswith("`"):
        stripped = stripped.strip().strip("`")
    whole = _whole(stripped, budget)
    if whole is not None and _solves(whole, problem):
        yield whole
    for source in starts_of(stripped):
        found = fitted(source, budget)
        if found is not None and _solves(found, problem):
            yield found


def _completions(text: str, problem: Problem, budget: Budget) -> Iterator[Fitted]:
    """Yield the prompt's program with a text as its function's body: as it is, or its indentation mended."""
    if not problem.completes_prompt or problem.prompt is None or not text.strip():
        return
    prompt = problem.prompt if problem.prompt.endswith("\n") else problem.prompt + "\n"
    body = text.strip("\n").rstrip()
    lines = [line for line in body.split("\n") if line.strip()]
    tries = [body]
    if not lines[0][:1].isspace() and not _is_module(body, budget):
        if len(lines) > 1 and lines[1][:1].isspace():
            tries.append("    " + body)
        tries.append(textwrap.indent(body, "    "))
    for one in tries:
        found = fitted(prompt + one + "\n", budget)
        if found is not None and _has_body(found.tree, problem):
            yield found


def _is_module(text: str, budget: Budget) -> bool:
    """Tell whether a text is a program of its own, with functions and no ``return`` outside of them."""
    whole = _whole(text, budget)
    if whole is None:
        return False
    kinds = {type(node) for node in whole.tree.body}
    return bool(kinds & {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef}) and ast.Return not in kinds


def _has_body(tree: ast.Module, problem: Problem) -> bool:
    """Tell whether the function that is asked for does more than it does in the prompt."""
    function = function_of(tree, problem.entry_point)
    try:
        asked = function_of(parse((problem.prompt or "") + _BODY), problem.entry_point)
    except NotPython:
        asked = None
    n_asked = 0 if asked is None else len(asked.body) - 1  # less the `pass`
    return function is not None and len(function.body) > n_asked


def _finished(source: str, problem: Problem, others: Sequence[str], found: Found) -> Extracted:
    """Leave examples out; supply what the program takes from the prompt or from the answer's other blocks."""
    if problem.reads_input:
        return Extracted(source, found)
    dropped = 0
    try:
        source, dropped = without_examples(source, _root(problem))
        source = _renamed(source, problem)
        supplied = _supplied(source, problem, others)
    except NotPython:
        return Extracted(source, found, dropped)
    if not supplied:
        return Extracted(source, found, dropped)
    return Extracted(with_prelude(supplied.rstrip() + "\n\n", source), found, dropped, supplied)


def _supplied(source: str, problem: Problem, others: Sequence[str]) -> str:
    parts: list[str] = []
    missing = unbound_names(source)
    prompts = [problem.prompt + _BODY] if problem.completes_prompt and problem.prompt else []
    own = frozenset({_root(problem)})
    for other in [*reversed(others), *prompts]:
        if not missing:
            break
        try:
            part = needed(sorted(missing), other, without=own)
            missing = unbound_names(part + source) if part else missing
        except NotPython:
            continue
        if part:
            parts.insert(0, part)
            source = part + source
    return "".join(parts)


def _renamed(source: str, problem: Problem) -> str:
    """Give a function that COFFE renamed its own name back."""
    if problem.origin != coffe.FUNCTION:
        return source
    try:
        names = {name for node in parse(source).body for name in bound_names(node)}
    except NotPython:
        return source
    if problem.entry_point in names or coffe.RENAMED not in names:
        return source
    return f"{source.rstrip()}\n\n\n{problem.entry_point} = {coffe.RENAMED}\n"
