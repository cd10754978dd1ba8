"""What of several scopes may be added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.scope import Scope, disjoint, require_antichain

PATHS = [
    "wall",
    "wall/psu",
    "wall/psu/gpu:0",
    "wall/psu/gpu:0/tile:1",
    "wall/psu/gpu:01",
    "wall/psu/module:0",
    "wall/psu/module:0/gpu:0",
    "wall/psu/psys/package:0",
    "wall/psu/psys/package:0/core",
]


@given(st.lists(st.sampled_from(PATHS), max_size=12))
def test_the_disjoint_are_an_antichain_that_covers_all(paths: list[str]) -> None:
    scopes = [Scope(path) for path in paths]
    kept = disjoint(scopes, lambda scope: scope)
    require_antichain(kept)
    for scope in scopes:
        assert any(one.contains(scope) for one in kept)


def test_of_one_scope_the_first_given_is_kept_and_parents_come_first() -> None:
    items = [("core", "wall/psu/psys/package:0/core"), ("b", "wall/psu/gpu:0"), ("a", "wall/psu/gpu:0")]
    items.append(("package", "wall/psu/psys/package:0"))
    kept = disjoint(items, lambda item: Scope(item[1]))
    assert [name for name, _ in kept] == ["b", "package"]
