"""From a model's answer to a generator: the program in it, its sizes and its shapes, read and not run."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, replace

from joulemark.code.answers.program import Found, program_of
from joulemark.code.inside.plain import Plain
from joulemark.code.problems.importers.constant import NotConstant, constant
from joulemark.code.problems.problem import Generator, Problem
from joulemark.code.problems.syntax import NotPython, function_of, parse, unbound_names

GENERATE, SIZES, SHAPES = "generate", "SIZES", "SHAPES"
MAX_SIZE = 10**9
MAX_SHAPES = 8
_MAX_SHAPE_CHARS = 40
_ASKED = Problem(
    problem_id=GENERATE,
    title=GENERATE,
    statement="",
    entry_point=GENERATE,
    canonical="",
    origin="",
    licence="",
)


class Unusable(ValueError):
    """An answer that holds no generator; the text says why, for the model and for a reader."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator that a model wrote. ``source`` is its program, helpers and constants included."""

    source: str
    sizes: tuple[int, int]
    shapes: tuple[str, ...]

    @property
    def generator(self) -> Generator:
        """The generator in the problems' format."""
        return Generator(self.source, self.sizes, self.shapes)

    def put_into(self, problem: Problem) -> Problem:
        """Return the problem with this generator in place of its own."""
        return replace(problem, generator=self.generator)


def program_in(answer: str) -> str | None:
    """Return the program of an answer, null where it holds none."""
    found = program_of(answer, _ASKED)
    return None if found.found is Found.NOT_FOUND else found.program


def draft_of(program: str) -> Draft:
    """Return the generator that a program defines. Raises `Unusable`."""
    try:
        tree = parse(program)
        missing = sorted(unbound_names(program))
    except NotPython as error:
        where = "" if error.line is None else f" at line {error.line}"
        raise Unusable(f"it is no Python{where}: {error.why}") from None
    function = function_of(tree, GENERATE)
    if function is None:
        raise Unusable("it does not define `generate(rng, size, shape)`")
    if len(function.args.posonlyargs) + len(function.args.args) != 3:
        raise Unusable("`generate` must take exactly three parameters: rng, size, shape")
    if function.decorator_list:
        raise Unusable("`generate` must have no decorator")
    if missing:
        raise Unusable(f"it uses {', '.join(missing)[:100]}, which nothing defines")
    _check_imports(tree)
    return Draft(program, _sizes(_value(tree, SIZES)), _shapes(_value(tree, SHAPES)))


def _check_imports(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = ["." if node.level else node.module or ""]
        for module in modules:
            top = module.partition(".")[0]
            if top != "__future__" and top not in sys.stdlib_module_names:
                raise Unusable(f"it imports {module!r}, and the standard library is all there is")


def _value(tree: ast.Module, name: str) -> Plain:
    for node in reversed(tree.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return _constant(name, value)
            case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value) if bound == name:
                return _constant(name, value)
    raise Unusable(f"it does not set {name}")


def _constant(name: str, node: ast.expr) -> Plain:
    try:
        return constant(node)
    except NotConstant as error:
        raise Unusable(f"{name} is not written out: {error}") from None


def _sizes(value: Plain) -> tuple[int, int]:
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(type(one) is int for one in value):
        raise Unusable("SIZES must be two whole numbers: (small, large)")
    small, large = value
    if not 1 <= small < large <= MAX_SIZE:
        raise Unusable(f"SIZES must be two numbers from 1 up to {MAX_SIZE:,}, the smaller one first")
    return small, large


def _shapes(value: Plain) -> tuple[str, ...]:
    if not isinstance(value, tuple | list) or not 2 <= len(value) <= MAX_SHAPES:
        raise Unusable(f"SHAPES must be a tuple of two to {MAX_SHAPES} names")
    for one in value:
        if (
            not isinstance(one, str)
            or not one.strip()
            or not one.isprintable()
            or len(one) > _MAX_SHAPE_CHARS
        ):
            raise Unusable(f"SHAPES must be names of at most {_MAX_SHAPE_CHARS} characters")
    if len(set(value)) != len(value):
        raise Unusable("SHAPES names a shape twice")
    return tuple(value)
