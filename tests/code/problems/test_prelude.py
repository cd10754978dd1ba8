"""A prelude and a program are one source that runs, wherever the program imports from the future."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.small_problems import total_problem
from joulemark.code.cases.make import results_of
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.packed import pack
from joulemark.code.measuring.observed import Ran
from joulemark.code.problems.prelude import with_prelude

_PRELUDE = "import math\nclass Node:\n    pass\n"
_LINE = "from __future__ import annotations"
_USE = "def f(x: Undefined) -> Nobody:\n    return math.floor(x)\n"


@pytest.mark.parametrize(
    "start",
    [
        f"{_LINE}\n",
        f"{_LINE}\r\n",
        f"\x0c\n# a note\n{_LINE}\n",
        f'"""Says \u2028 what it is: é."""\n{_LINE}\n',
        f'"é"; {_LINE}; y = 1\n',
        "from __future__ import (\n    annotations,  # é\n    division,\n)\n",
        f"{_LINE}\nfrom __future__ import division as d, annotations\n",
        f"{_LINE} \\\n    , generator_stop\n",
    ],
)
def test_a_program_from_the_future_runs_behind_a_prelude(start: str) -> None:
    space: dict[str, object] = {}
    exec(compile(with_prelude(_PRELUDE, start + _USE), "x", "exec", dont_inherit=True), space)
    assert space["f"](2.5) == 2  # type: ignore[operator]
    assert space["f"].__annotations__ == {"x": "Undefined", "return": "Nobody"}


@pytest.mark.parametrize(
    "source",
    [
        _USE,
        "x = 'from __future__ import annotations'\n",
        f"x = 1\n{_LINE}\n    no python",
        f"{_LINE}\nx = '\ud800'",
        "from __future__ import\n",
    ],
)
def test_all_else_goes_behind_it_as_it_is(source: str) -> None:
    assert with_prelude(_PRELUDE, source) == f"{_PRELUDE}\n{source}"
    assert with_prelude("", source) == source


def test_what_python_refuses_is_refused_behind_a_prelude_too() -> None:
    late = (f"x = 1\n{_LINE}\n", f"{_LINE}\nx = 1\n{_LINE}\n", f"def f():\n    {_LINE}\n")
    for source in ("from __future__ import braces\n", "from __future__ import nothing\n", *late):
        with pytest.raises(SyntaxError):
            compile(with_prelude(_PRELUDE, source), "x", "exec", dont_inherit=True)


@given(st.text(max_size=60))
def test_nothing_is_lost_whatever_surrounds_it(text: str) -> None:
    source = f"{_LINE}\nx = {text!r}\n"
    space: dict[str, object] = {}
    exec(compile(with_prelude(_PRELUDE, source), "x", "exec", dont_inherit=True), space)
    assert space["x"] == text


def test_candidates_and_references_are_joined_so(sandbox: Sandbox) -> None:
    program = f"{_LINE}\n\ndef total(values: Undefined):\n    return math.floor(math.fsum(values))\n"
    problem = total_problem(prelude=_PRELUDE, canonical=program)
    assert results_of(sandbox, problem, program, [pack(([1, 2],))], "it") == (3,)
    with sandbox.cell() as cell:
        cell.load(Ran("total", program, 0).source(problem), "total")
