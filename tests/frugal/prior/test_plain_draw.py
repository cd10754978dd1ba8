"""Which lists of items a rule that looks at the plain share may stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.prior.choice import Method
from joulemark.frugal.prior.draw import choose
from joulemark.frugal.prior.plain_draw import require_plain_draw
from joulemark.record.errors import InputError


def _written(path: Path, method: Method, allocation: str = "proportional") -> Path:
    random = np.random.default_rng(4)
    values = (random.random((5, 80)) < random.beta(0.6, 0.6, 80)).astype(float)
    prior = OutcomeMatrix("t", tuple("abcde"), values, tuple(f"q{k}" for k in range(80)))
    choice = choose(prior, 20, method=method, key="k", allocation=allocation)
    path.write_bytes(orjson.dumps(choice.to_json()))
    return path


def test_equal_chances_pass(tmp_path: Path) -> None:
    require_plain_draw(_written(tmp_path / "a.json", "random"))
    require_plain_draw(_written(tmp_path / "b.json", "strata"))
    for name, text in (("ids.txt", "q1\nq2\n"), ("ids.json", '["q1"]'), ("own.json", '{"item_ids": ["q1"]}')):
        (tmp_path / name).write_text(text)
        require_plain_draw(tmp_path / name)
    require_plain_draw(tmp_path / "not there")  # told by whoever reads it


@pytest.mark.parametrize(
    ("method", "allocation", "how"),
    [("strata", "neyman", "Neyman"), ("anchors", "proportional", "anchor points")],
)
def test_unequal_ones_are_refused(tmp_path: Path, method: Method, allocation: str, how: str) -> None:
    with pytest.raises(InputError, match="--stop cannot go") as error:
        require_plain_draw(_written(tmp_path / "items.json", method, allocation))
    assert how in error.value.why
    assert "frugal estimate RUN --choice items.json" in error.value.fix


def test_a_broken_choice_is_told(tmp_path: Path) -> None:
    path = _written(tmp_path / "items.json", "strata")
    document = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps({**document, "strata": []}))
    with pytest.raises(InputError, match="no choice of items"):
        require_plain_draw(path)
