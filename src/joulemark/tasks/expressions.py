"""The small language of task definitions: Jinja templates and expressions, in a sandbox.

Only the definition is a program; rows are data and are never compiled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from joulemark.record.errors import InputError
from joulemark.tasks.references import instructions, shares
from joulemark.tasks.rows import RowFault

_MISSING = re.compile(r"^'?([\w .\[\]]+?)'? is undefined$")

Variables = Mapping[str, object]


def _printed(value: object) -> object:
    """Refuse what has no plain text: a missing value must not be asked as the word "None"."""
    if value is None or isinstance(value, bool | list | dict | tuple):
        raise RowFault(f"a text was wanted, but there is {json.dumps(value, default=str)[:60]}")
    return value


def _without(text: str, pattern: str) -> str:
    return re.sub(pattern, "", text)


def _find_all(text: str, pattern: str) -> list[Any]:
    return re.findall(pattern, text)


def _matches(text: str, pattern: str) -> bool:
    return re.search(pattern, text) is not None


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=False, finalize=_printed, trim_blocks=True
    )
    # a task is asked alike every time: nothing in it may be drawn by lot
    del environment.filters["random"]
    for name in ("lipsum", "cycler", "joiner", "namespace"):
        del environment.globals[name]
    environment.filters |= {
        "without": _without,
        "find_all": _find_all,
        "matches": _matches,
        "json": lambda value: json.dumps(value, ensure_ascii=False),
    }
    environment.globals |= {"instructions": instructions, "shares": shares}
    return environment


_ENVIRONMENT = _environment()


def compiled_template(source: str, where: str) -> Callable[[Variables], str]:
    """Return a function from variables to text; raises `InputError` for a template that is none."""
    try:
        template = _ENVIRONMENT.from_string(source)
    except jinja2.TemplateError as error:
        raise _not_a_program(where, error) from error
    return lambda variables: str(_evaluated(lambda: template.render(variables), where))


def compiled_expression(source: str, where: str) -> Callable[[Variables], object]:
    """Return a function from variables to a value; raises `InputError` for an expression that is none."""
    try:
        expression = _ENVIRONMENT.compile_expression(source, undefined_to_none=False)
    except jinja2.TemplateError as error:
        raise _not_a_program(where, error) from error
    return lambda variables: _defined(_evaluated(lambda: expression(variables), where), where)


def _defined(value: object, where: str) -> object:
    if isinstance(value, jinja2.Undefined):
        raise RowFault(f'{where} wants "{value._undefined_name}", which is missing')
    return value


def _evaluated(evaluate: Callable[[], object], where: str) -> object:
    try:
        return evaluate()
    except RowFault:
        raise
    except jinja2.UndefinedError as error:
        missing = _MISSING.match(str(error))
        told = f'{where} wants "{missing[1]}", which is missing' if missing else f"{where}: {error}"
        raise RowFault(told) from error
    except RecursionError as error:
        raise RowFault("it is nested too deeply") from error
    except Exception as error:  # an expression over a foreign row can fail in any way a program can
        raise RowFault(f"{where} fails on it: {error}"[:200]) from error


def _not_a_program(where: str, error: jinja2.TemplateError) -> InputError:
    return InputError(
        f"the task's {where} is no Jinja",
        why=str(error),
        fix="see docs/tasks.md for what can be written there",
    )
