"""Problems as JSON: one object a problem, values as the plain data that they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from joulemark.code.inside.plain import Plain, TooLarge, decode, encode
from joulemark.code.problems.importers.rows import Row
from joulemark.code.problems.problem import Checker, Comparison, Example, Generator, Problem
from joulemark.record.errors import InputError

FORMAT = "joulemark_problem"
VERSION = 1
_TEXTS = ("problem_id", "title", "statement", "entry_point", "canonical", "origin", "licence", "prelude")
_OPTIONAL = ("prompt", "test_source", "brute_force", "difficulty")


def to_json(problem: Problem) -> str:
    """Return a problem as one line of JSON. Raises `InputError` where a value is nested too deep."""
    checker, generator = problem.checker, problem.generator
    fields: dict[str, Any] = {FORMAT: VERSION}
    fields |= {name: getattr(problem, name) for name in (*_TEXTS, *_OPTIONAL)}
    try:
        fields |= {
            "completes_prompt": problem.completes_prompt,
            "examples": [{"args": _out(one.args), "result": _out(one.result)} for one in problem.examples],
            "inputs": [_out(one) for one in problem.inputs],
            "expected": None if problem.expected is None else [_out(one) for one in problem.expected],
            "edge_cases": [_out(one) for one in problem.edge_cases],
        }
    except TooLarge as error:
        raise InputError(f"{problem.problem_id} cannot be written", why=str(error)) from error
    fields |= {
        "checker": {
            "comparison": checker.comparison.value,
            "rel_tol": checker.rel_tol,
            "abs_tol": checker.abs_tol,
            "same_type": checker.same_type,
            "source": checker.source,
        },
        "generator": None
        if generator is None
        else {
            "source": generator.source,
            "sizes": generator.sizes,
            "shapes": generator.shapes,
            "levels": generator.levels,
            "cases_per_level": generator.cases_per_level,
            "level_weights": generator.level_weights,
        },
        "slow": dict(problem.slow),
        "brute_force_size": problem.brute_force_size,
        "algorithms": problem.algorithms,
    }
    return json.dumps(fields, ensure_ascii=True)


def from_row(row: Row) -> Problem:
    """Return the problem that a row of our own format holds. Raises `InputError`."""
    if row.fields.get(FORMAT) != VERSION:
        raise row.fault(f'"{FORMAT}" must be {VERSION}: a newer Joulemark wrote it', "use that Joulemark")
    texts = {name: row.text(name, may_be_empty=True) for name in _TEXTS}
    if not texts["problem_id"] or "\n" in texts["problem_id"]:
        raise row.fault('"problem_id" must be one line of text')
    for name in ("canonical", "prelude"):
        row.check_source(texts[name], f'"{name}"')
    inputs, edge_cases = _many(row, "inputs"), _many(row, "edge_cases")
    expected = None if row.fields.get("expected") is None else _many(row, "expected")
    if expected is not None and len(expected) != len(inputs):
        raise row.fault(f"it has {len(inputs)} inputs and {len(expected)} expected values")
    for name, values in (("inputs", inputs), ("edge_cases", edge_cases)):
        if not all(isinstance(one, tuple) for one in values):
            raise row.fault(f'"{name}" must be lists of arguments')
    return Problem(
        **texts,
        prompt=_optional(row, "prompt"),
        test_source=_optional(row, "test_source"),
        brute_force=_optional(row, "brute_force"),
        difficulty=_optional(row, "difficulty"),
        completes_prompt=row.fields.get("completes_prompt") is True,
        examples=_examples(row),
        inputs=inputs,
        expected=expected,
        checker=_checker(row),
        generator=_generator(row),
        slow=_sources(row, "slow"),
        brute_force_size=_whole(row, row.fields.get("brute_force_size", 0), "brute_force_size"),
        edge_cases=edge_cases,
        algorithms=row.texts("algorithms", may_be_missing=True),
    )


def _out(value: Plain) -> Any:
    return json.loads(encode(value))


def _in(row: Row, value: Any, name: str) -> Plain:
    try:
        return decode(json.dumps(value))
    except (ValueError, RecursionError) as error:
        raise row.fault(f'"{name}" holds what is no value: {str(error)[:100]}') from error


def _many(row: Row, name: str) -> tuple[Any, ...]:
    value = row.fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise row.fault(f'"{name}" must be a list')
    return tuple(_in(row, one, name) for one in value)


def _optional(row: Row, name: str) -> str | None:
    return None if row.fields.get(name) is None else row.text(name, may_be_empty=True)


def _mapping(row: Row, value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise row.fault(f'"{name}" must be an object')
    return value


def _sources(row: Row, name: str) -> dict[str, str]:
    value = _mapping(row, row.fields.get(name, {}), name)
    if not all(isinstance(one, str) for one in value.values()):
        raise row.fault(f'"{name}" must hold sources')
    return dict(value)


def _whole(row: Row, value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**19:
        raise row.fault(f'"{name}" must be a whole number from 0 up')
    return value


def _wholes(row: Row, value: Any, name: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise row.fault(f'"{name}" must be a list of whole numbers')
    return tuple(_whole(row, one, name) for one in value)


def _examples(row: Row) -> tuple[Example, ...]:
    value = row.fields.get("examples", [])
    if not isinstance(value, list):
        raise row.fault('"examples" must be a list')
    found = []
    for one in value:
        fields = _mapping(row, one, "examples")
        args = _in(row, fields.get("args"), "examples")
        if not isinstance(args, tuple):
            raise row.fault('"args" of an example must be arguments')
        found.append(Example(args, _in(row, fields.get("result"), "examples")))
    return tuple(found)


def _checker(row: Row) -> Checker:
    fields = _mapping(row, row.fields.get("checker", {}), "checker")
    name = fields.get("comparison", Comparison.EQUAL.value)
    if name not in [one.value for one in Comparison]:
        raise row.fault(f"its comparison {str(name)[:40]!r} is none of {', '.join(Comparison)}")
    tolerances = [fields.get(one, 0.0) for one in ("rel_tol", "abs_tol")]
    for one in tolerances:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one < 1e12:
            raise row.fault("a tolerance must be a number from 0 up")
    source = fields.get("source")
    if source is not None and not isinstance(source, str):
        raise row.fault("the source of a checker must be a text")
    if name == Comparison.CHECKER and source is None:
        raise row.fault("its checker has no source")
    return Checker(
        Comparison(name), float(tolerances[0]), float(tolerances[1]), fields.get("same_type") is True, source
    )


def _generator(row: Row) -> Generator | None:
    if row.fields.get("generator") is None:
        return None
    fields = _mapping(row, row.fields["generator"], "generator")
    source, sizes, shapes = fields.get("source"), fields.get("sizes"), fields.get("shapes", [""])
    if not isinstance(source, str):
        raise row.fault("the source of a generator must be a text")
    row.check_source(source, "its generator")
    if not isinstance(shapes, list) or not shapes or not all(isinstance(one, str) for one in shapes):
        raise row.fault("the shapes of a generator must be a list of texts")
    between = None if sizes is None else _wholes(row, sizes, "sizes")
    if between is not None and (len(between) != 2 or between[0] > between[1]):
        raise row.fault("the sizes of a generator must be two, the smaller first")
    return Generator(
        source=source,
        sizes=None if between is None else (between[0], between[1]),
        shapes=tuple(shapes),
        levels=_wholes(row, fields.get("levels", []), "levels"),
        cases_per_level=_wholes(row, fields.get("cases_per_level", []), "cases_per_level"),
        level_weights=_weights(row, fields.get("level_weights", [])),
    )


def _weights(row: Row, value: Any) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise row.fault("the weights of levels must be a list of numbers")
    for one in value:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one < 1e6:
            raise row.fault("the weights of levels must be numbers from 0 up")
    return tuple(map(float, value))
