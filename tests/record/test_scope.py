"""What of several scopes may be added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.scope import OverlappingScopes, Scope, disjoint, require_antichain

PATHS = [
    "wall",
    "wall/psu",
    "wall/psu/gpu:0",
    "wall/psu/gpu:0/tile:1",
    "wall/psu/gpu:1",
    "wall/psu/gpu:10",
    "wall/psu/gpu:0000:03:00.0",
    "wall/psu/gpu:amd-0",
    "wall/psu/module:0",
    "wall/psu/module:0/gpu:0",
    "wall/psu/module:0/gpu_part",
    "wall/psu/module:1/package:1/uncore",
    "wall/psu/psys/package:0",
    "wall/psu/psys/package:0/core",
    "wall/psu/psys/package:0/core:0",
    "wall/psu/psys/package:0-die-1",
    "wall/psu/psys/dram:0",
    "wall/psu/sensor:bat0-power1",
]
ON_CHIP = ["wall/psu/soc", "wall/psu/soc/gpu", "wall/psu/soc/rail:vdd-cpu", "wall/psu/psys"]
OUTSIDE_THE_TREE = [
    "",
    "gpu:0",
    "wall/gpu:0",
    "wall:2",
    "wall/psu/psu",
    "wall/psu/psu/gpu:0",
    "wall/psu/gpu",
    "wall/psu/gpu:00",
    "wall/psu/gpu:0000:0A:00.0",
    "wall/psu/gpu:0/gpu:1",
    "wall/psu/package:0",
    "wall/psu/dram:0",
    "wall/psu/psys/gpu:0",
    "wall/psu/psys/package:0/dram",
    "wall/psu/soc/gpu:0",
    "wall/psu/soc/gpu/tile:0",
    "wall/psu/sensor:a/b",
    "wall/psu/GPU:0",
    "replay/gpu:0",
    "wall/",
    "wall\n",
]
TWICE = [
    ("gpu:0", "wall/psu/gpu:0"),
    ("wall/gpu:0", "wall/psu/gpu:0"),
    ("wall/psu/psu/gpu:0", "wall/psu/gpu:0"),
    ("wall/psu/module:0/gpu:0", "wall/psu/gpu:0"),
    ("wall/psu/module:0/gpu_part", "wall/psu/gpu:0"),
    ("wall/psu/module:0", "wall/psu/gpu:0"),
    ("wall/psu/module:0", "wall/psu/gpu:0/tile:0"),
    ("wall/psu/module:0", "wall/psu/psys/package:0"),
    ("wall/psu/module:0/package:0", "wall/psu/psys/package:0/core"),
    ("wall/psu/package:0", "wall/psu/psys/package:0"),
    ("wall/psu/psys/package:0", "wall/psu/psys/package:0-die-1"),
    ("wall/psu/psys", "wall/psu/module:0"),
    ("wall/psu/soc", "wall/psu/psys"),
    ("wall/psu/soc", "wall/psu/psys/package:0"),
    ("wall/psu/soc", "wall/psu/gpu:0"),
    ("wall/psu/soc/gpu", "wall/psu/gpu:0"),
    ("wall/psu/soc/cpu", "wall/psu/psys/package:0"),
]
APART = [
    ("wall/psu/gpu:0", "wall/psu/gpu:1"),
    ("wall/psu/gpu:1", "wall/psu/gpu:10"),
    ("wall/psu/gpu:0", "wall/psu/module:1"),
    ("wall/psu/gpu:0", "wall/psu/module:0/package:0"),
    ("wall/psu/gpu:0/tile:0", "wall/psu/module:0/gpu:0/tile:1"),
    ("wall/psu/psys/package:0", "wall/psu/psys/dram:0"),
    ("wall/psu/psys/package:0-die-0", "wall/psu/psys/package:0-die-1"),
    ("wall/psu/gpu:0", "wall/psu/psys"),
    ("wall/psu/soc", "wall/psu/sensor:a"),
    ("wall/psu/soc/cpu", "wall/psu/soc/gpu"),
]


@given(st.lists(st.sampled_from(PATHS), max_size=12))
def test_the_disjoint_are_an_antichain_that_covers_all(paths: list[str]) -> None:
    scopes = [Scope(path) for path in paths]
    kept = disjoint(scopes, lambda scope: scope)
    require_antichain(kept)
    for scope in scopes:
        assert any(one.holds(scope) for one in kept)


def test_of_one_scope_the_first_given_is_kept_and_parents_come_first() -> None:
    items = [("core", "wall/psu/psys/package:0/core"), ("b", "wall/psu/gpu:0"), ("a", "wall/psu/gpu:0")]
    items.append(("package", "wall/psu/psys/package:0"))
    kept = disjoint(items, lambda item: Scope(item[1]))
    assert [name for name, _ in kept] == ["b", "package"]


@pytest.mark.parametrize("path", [*PATHS, *ON_CHIP, "replay"])
def test_a_scope_of_the_tree_may_be_named(path: str) -> None:
    assert Scope.named(path) == Scope(path)


@pytest.mark.parametrize("path", OUTSIDE_THE_TREE)
def test_a_path_outside_the_tree_is_refused_with_the_tree(path: str) -> None:
    with pytest.raises(ValueError, match=r"wall > psu > \{gpu:N"):
        Scope.named(path)


@pytest.mark.parametrize("path", ["wall/psu/sensor:\x1b[2J", "gpu:0\n", "a\u202eb", "", "/gpu:0", "a//b"])
def test_what_steers_a_terminal_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="not a scope path") as caught:
        Scope(path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("one", "other"), TWICE)
def test_one_part_by_two_paths_never_adds(one: str, other: str) -> None:
    for pair in ([Scope(one), Scope(other)], [Scope(other), Scope(one)]):
        with pytest.raises(OverlappingScopes):
            require_antichain(pair)
        assert len(disjoint(pair, lambda scope: scope)) == 1


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_parts_add(one: str, other: str) -> None:
    require_antichain([Scope(one), Scope(other)])
    require_antichain([Scope(other), Scope(one)])


@given(*[st.sampled_from([*PATHS, *ON_CHIP])] * 3)
def test_what_contains_holds_and_what_holds_overlaps(a: str, b: str, c: str) -> None:
    one, two, three = Scope(a), Scope(b), Scope(c)
    assert one.holds(two) or not one.contains(two)
    assert one.overlaps(two) or not one.holds(two)
    assert one.overlaps(two) == two.overlaps(one)
    assert one.holds(three) or not (one.holds(two) and two.holds(three))


def test_the_one_that_holds_is_kept_whichever_path_it_has() -> None:
    scopes = [Scope.gpu(0), Scope.package(0), Scope.module(0)]
    assert disjoint(scopes, lambda scope: scope) == [Scope.module(0)]
    assert disjoint([Scope.package(0), Scope("wall/psu/soc")], lambda scope: scope) == [Scope("wall/psu/soc")]


def test_a_part_of_a_chip_is_of_no_boards_class() -> None:
    assert Scope("wall/psu/soc").kind == "soc"
    assert Scope("wall/psu/soc/gpu").kind == "soc/gpu"
    assert Scope("wall/psu/soc/rail:vdd").kind == "soc/rail"
    assert Scope("wall/psu/module:0/gpu:0").kind == "gpu"
