"""One problem as one Python file, which is data: read by its syntax, never executed or imported here.

Its docstring is the statement, its constants say how it is tested, its functions are programs. Each part gets
all imports and all helpers (names that begin with ``_``), and nothing else of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from joulemark.code.inside.plain import Plain
from joulemark.code.problems.problem import (
    ALGORITHMS,
    DIFFICULTIES,
    Checker,
    Comparison,
    Example,
    Generator,
    Problem,
)
from joulemark.code.problems.problem_parts import FIX, MAX_FILE_CHARS, Parts
from joulemark.code.problems.syntax import NotPython
from joulemark.record.errors import InputError

SLOW = "slow_"
BRUTE_FORCE, GENERATE, CHECK = "brute_force", "generate", "check"
_DESCRIPTION = "Description:"
_CLOSE_TOL = 1e-9
_CHECKERS: Mapping[str, Checker] = {
    "equal": Checker(),
    "unordered": Checker(Comparison.UNORDERED),
    "unordered_nested": Checker(Comparison.UNORDERED_NESTED),
    "close": Checker(Comparison.CLOSE, rel_tol=_CLOSE_TOL, abs_tol=_CLOSE_TOL),
}
_CUSTOM = "custom"


def read_problem_file(path: Path, *, origin: str = "own", licence: str = "not stated") -> Problem:
    """Return the problem of a file; its id is the file's name. Raises `InputError`."""
    try:
        with path.open(encoding="utf-8") as file:
            source = file.read(MAX_FILE_CHARS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read", why=str(error), fix=FIX) from error
    return parse_problem(source, path.stem, place=str(path), origin=origin, licence=licence)


def parse_problem(
    source: str, problem_id: str, *, place: str = "", origin: str = "own", licence: str = "not stated"
) -> Problem:
    """Return the problem of a file's text; ``place`` names it in messages. Raises `InputError`."""
    name = place or problem_id
    try:
        parts = Parts.of(source, name)
        return _problem(parts, problem_id, origin, licence)
    except NotPython as error:
        where = name if error.line is None else f"{name}, line {error.line}"
        raise InputError(f"{where} cannot be used", why=f"it is no Python: {error.why}", fix=FIX) from error
    except RecursionError:
        raise InputError(f"{name} cannot be used", why="it is nested too deep", fix=FIX) from None


def _problem(parts: Parts, problem_id: str, origin: str, licence: str) -> Problem:
    title, statement = _stated(parts)
    entry_point = parts.value("ENTRY_POINT")
    if not isinstance(entry_point, str) or entry_point not in parts.functions:
        raise parts.fault("ENTRY_POINT must name the function that solves the problem")
    function = parts.functions[entry_point]
    known = {entry_point, BRUTE_FORCE, GENERATE, CHECK}
    stray = [one for one in parts.functions if one not in known and not one.startswith(SLOW)]
    if stray:
        raise parts.fault(
            f"{stray[0]!r} is no part of a problem; a helper's name begins with `_`",
            parts.functions[stray[0]],
        )
    slow = {name: parts.program(name, entry_point=entry_point) for name in parts.functions if _is_slow(name)}
    has_brute_force = BRUTE_FORCE in parts.functions
    return Problem(
        problem_id=problem_id,
        title=title,
        statement=statement,
        entry_point=entry_point,
        canonical=parts.program(entry_point),
        origin=origin,
        licence=licence,
        examples=_examples(parts, function),
        checker=_checker(parts),
        generator=_generator(parts),
        slow=slow,
        brute_force=parts.program(BRUTE_FORCE, entry_point=entry_point) if has_brute_force else None,
        brute_force_size=_size(parts, "BRUTE_FORCE_SIZE") if has_brute_force else 0,
        edge_cases=_argument_tuples(parts, "EDGE_CASES", function),
        algorithms=_algorithms(parts),
        difficulty=_difficulty(parts),
    )


def _is_slow(name: str) -> bool:
    return name.startswith(SLOW)


def _stated(parts: Parts) -> tuple[str, str]:
    title, _, rest = parts.docstring.partition("\n")
    _, mark, statement = rest.partition(_DESCRIPTION)
    if not title.strip() or not mark or not statement.strip():
        raise parts.fault(f"its docstring must be a title and, below it, `{_DESCRIPTION}` and the statement")
    return title.strip(), statement.strip()


def _algorithms(parts: Parts) -> tuple[str, ...]:
    found = parts.texts("ALGORITHMS")
    if not found or found[0] not in ALGORITHMS:
        raise parts.fault(f"the first of ALGORITHMS must be one of {', '.join(ALGORITHMS)}")
    return found


def _difficulty(parts: Parts) -> str:
    found = parts.value("DIFFICULTY")
    if found not in DIFFICULTIES:
        raise parts.fault(f"DIFFICULTY must be one of {', '.join(DIFFICULTIES)}")
    return str(found)


def _argument_tuples(parts: Parts, name: str, function: ast.FunctionDef) -> tuple[tuple[Plain, ...], ...]:
    value = parts.value(name, ())
    if not isinstance(value, tuple) or not all(isinstance(one, tuple) for one in value):
        raise parts.fault(f"{name} must be a tuple of tuples of arguments", parts.constants.get(name))
    for one in value:
        _check_arity(parts, one, name, function)
    return value


def _check_arity(parts: Parts, args: tuple[Plain, ...], name: str, function: ast.FunctionDef) -> None:
    most = len(function.args.posonlyargs) + len(function.args.args)
    least = most - len(function.args.defaults)
    if not least <= len(args) <= most and function.args.vararg is None:
        raise parts.fault(
            f"{name} gives {len(args)} arguments, and `{function.name}` takes {most}",
            parts.constants.get(name),
        )


def _examples(parts: Parts, function: ast.FunctionDef) -> tuple[Example, ...]:
    value = parts.value("EXAMPLES", ())
    found = []
    for one in value if isinstance(value, tuple) else [None]:
        if not isinstance(one, tuple) or len(one) != 2 or not isinstance(one[0], tuple):
            raise parts.fault(
                "EXAMPLES must be pairs of (arguments, result)", parts.constants.get("EXAMPLES")
            )
        _check_arity(parts, one[0], "EXAMPLES", function)
        found.append(Example(one[0], one[1]))
    if not found:
        raise parts.fault("it has no EXAMPLES, and the prompt shows them")
    return tuple(found)


def _checker(parts: Parts) -> Checker:
    name = parts.value("CHECKER", "equal")
    if name == _CUSTOM:
        if CHECK not in parts.functions:
            raise parts.fault(f'CHECKER is "{_CUSTOM}", and there is no `{CHECK}(args, expected, got)`')
        return Checker(Comparison.CHECKER, source=parts.program(CHECK))
    if not isinstance(name, str) or name not in _CHECKERS:
        raise parts.fault(f"CHECKER must be one of {', '.join(_CHECKERS)}, {_CUSTOM}")
    return _CHECKERS[name]


def _generator(parts: Parts) -> Generator | None:
    if GENERATE not in parts.functions:
        return None
    node = parts.functions[GENERATE]
    if len(node.args.args) != 3:
        raise parts.fault(f"`{GENERATE}` must take (rng, size, shape)", node)
    sizes = parts.value("SIZES")
    if not isinstance(sizes, tuple) or len(sizes) != 2 or not all(_is_size(one) for one in sizes):
        raise parts.fault("SIZES must be two whole numbers from 1 up", parts.constants.get("SIZES"))
    if sizes[0] >= sizes[1]:
        raise parts.fault("the first of SIZES must be the smaller", parts.constants.get("SIZES"))
    shapes = parts.texts("SHAPES")
    if not shapes:
        raise parts.fault("it has no SHAPES, and its inputs are made by them")
    return Generator(source=parts.program(GENERATE), sizes=sizes, shapes=shapes)


def _is_size(value: Plain) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**18


def _size(parts: Parts, name: str) -> int:
    value = parts.value(name, 0)
    if not _is_size(value):
        raise parts.fault(f"{name} must be a whole number from 1 up", parts.constants.get(name))
    return int(value)
