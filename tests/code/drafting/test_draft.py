"""What an answer holds is read, never run: a generator, or a reason that the model can mend."""

from __future__ import annotations

import pytest

from doubles.scripted_model import GOOD, fenced
from joulemark.code.drafting.draft import Unusable, draft_of, program_in


def test_a_generator_is_found_in_a_chatty_answer() -> None:
    program = program_in(f"Sure!\n\n```python\nx = 1\n```\nBetter:\n\n{fenced(GOOD)}")
    assert program is not None
    draft = draft_of(program)
    assert draft.sizes == (200, 40_000)
    assert draft.shapes == ("random", "rising")
    assert "rng.randint" in draft.source


def test_prose_holds_no_generator() -> None:
    assert program_in("I would make random lists, and sort some of them.") is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("SIZES = (200, 40_000)\n", ""), "does not set SIZES"),
        (("(200, 40_000)", "(40_000, 200)"), "smaller one first"),
        (("(200, 40_000)", "(200, 10**10**10)"), "SIZES is not written out"),
        (("(200, 40_000)", "(0.5, 2)"), "two whole numbers"),
        (('("random", "rising")', '("random",)'), "two to 8 names"),
        (('("random", "rising")', '("random", "random")'), "twice"),
        (('("random", "rising")', '("random", "\\x1b[2J")'), "names of at most"),
        (('("random", "rising")', "tuple(map(str, range(3)))"), "SHAPES is not written out"),
        (("def generate(rng, size, shape)", "def generate(rng, size)"), "exactly three"),
        (("def generate", "def make"), "does not define `generate"),
        (("def generate", "import functools\n@functools.cache\ndef generate"), "no decorator"),
        (("values.sort()", "values = np.sort(values)"), "uses np"),
        (("values.sort()", "import numpy"), "imports 'numpy'"),
        (("return (values,)", "return (values,"), "no Python"),
    ],
)
def test_what_is_no_generator_says_why(change: tuple[str, str], says: str) -> None:
    source = GOOD.replace(*change)
    assert source != GOOD
    with pytest.raises(Unusable, match=says):
        draft_of(source)
