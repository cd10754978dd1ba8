"""What the powercap tree shows on machines that are not one Intel package with one die."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.powercap import FakePowercap
from joulemark.meters.discovery import discover
from joulemark.meters.rapl.powercap import ROOT_VARIABLE, find_domains, powercap_root
from joulemark.meters.rapl.source import describe
from joulemark.meters.sysfs import SYS_VARIABLE
from joulemark.record.scope import PSYS, OverlappingScopes, Scope, require_antichain


def vendor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """Let the processor be of this maker."""
    cpuinfo = tmp_path / f"cpuinfo-{name}"
    cpuinfo.write_text(f"processor\t: 0\nvendor_id\t: {name}\ncpu family\t: 25\n")
    monkeypatch.setattr("joulemark.meters.rapl.powercap.CPUINFO", cpuinfo)


@pytest.fixture(autouse=True)
def intel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    vendor(monkeypatch, tmp_path, "GenuineIntel")
    monkeypatch.setenv(SYS_VARIABLE, str(tmp_path / "no-sys"))
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: False)


@pytest.mark.parametrize("name", ["AuthenticAMD", "HygonGenuine"])
def test_the_core_of_amd_is_one_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    vendor(monkeypatch, tmp_path, name)
    package, core = find_domains(FakePowercap(tmp_path, dram=False).root)
    assert (package.name, core.name) == ("package-0", "package-0/core:0")
    assert core.scope.kind == "core"
    assert core.scope != Scope.package(0).child("core")
    assert any(note.startswith("one_core:") for note in describe(core).notes)
    with pytest.raises(OverlappingScopes):
        require_antichain([package.scope, core.scope])
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path / "powercap"))
    assert (
        "one core"
        in {finding.name: finding.measures for finding in discover(["rapl"])}["rapl:package-0/core:0"]
    )


def test_the_dies_of_amd_show_one_register_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor(monkeypatch, tmp_path, "AuthenticAMD")
    tree = FakePowercap(tmp_path, packages=2, dies=4, dram=False)
    domains = {domain.name: domain for domain in find_domains(tree.root)}
    assert sorted(domains) == ["package-0", "package-0/core:0", "package-1", "package-1/core:0"]
    assert [twin.name for twin in domains["package-1"].twins] == [f"intel-rapl:{n}" for n in (5, 6, 7)]
    assert domains["package-0/core:0"].twins == ()  # another die's core is another core, not this one again


def test_the_dies_of_intel_count_apart(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=2, dies=2, core=False)
    domains = {domain.name: domain.scope for domain in find_domains(tree.root)}
    assert len(domains) == 8
    require_antichain(domains.values())
    assert domains["package-1-die-0/dram"] == Scope(f"{PSYS}/dram:1-die-0")


def test_several_platform_counters_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(tmp_path, packages=2, psys=True, core=False, dram=False)
    tree.add_zone("intel-rapl:3", "psys-1")
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    findings = {finding.name: finding for finding in discover(["rapl"])}
    assert list(findings) == ["rapl:psys", "rapl:package-0", "rapl:package-1"]
    assert findings["rapl:psys"].spec is None
    assert "not documented" in findings["rapl:psys"].why
    assert findings["rapl:package-0"].spec is not None


def test_an_unknown_maker_counts_as_intel_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.meters.rapl.powercap.CPUINFO", tmp_path / "none")
    assert [domain.name for domain in find_domains(FakePowercap(tmp_path, dram=False).root)] == [
        "package-0",
        "package-0/core",
    ]


def test_the_whole_device_tree_may_be_mounted(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=2, mmio=True)
    tree.nested(tmp_path)  # control types with their zones inside, as /sys/devices/virtual/powercap has them
    nested = find_domains(tmp_path / "nested")
    assert [domain.name for domain in nested] == [domain.name for domain in find_domains(tree.root)]
    assert {twin.name for domain in nested for twin in domain.twins} == {
        "intel-rapl-mmio:0",
        "intel-rapl-mmio:1",
    }


def test_labels_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, core=False, dram=False)
    tree.add_zone("intel-rapl:1", "package-1")
    (tree.root / "intel-rapl:1" / "name").write_bytes(b"\xff\xfe\x00")
    tree.add_zone("intel-rapl:2", "package-x")
    tree.add_zone("intel-rapl:3", "")
    assert [domain.name for domain in find_domains(tree.root)] == ["package-0"]


def test_the_root_of_the_tree_follows_that_of_sysfs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ROOT_VARIABLE, raising=False)
    monkeypatch.setenv(SYS_VARIABLE, "/somewhere")
    assert powercap_root() == Path("/somewhere/class/powercap")
    monkeypatch.setenv(ROOT_VARIABLE, "/powercap")
    assert powercap_root() == Path("/powercap")
