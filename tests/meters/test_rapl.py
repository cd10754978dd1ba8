"""Processor counters from a powercap tree."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.powercap import RANGE_UJ, FakePowercap, ordinary_user, public_directory
from joulemark.meters import machine
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.rapl import finding as rapl_finding
from joulemark.meters.rapl.powercap import ROOT_VARIABLE, find_domains
from joulemark.meters.rapl.source import RaplSource, joules_of
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.meters.sysfs import SYS_VARIABLE
from joulemark.record.clock import VirtualClock
from joulemark.record.scope import PSYS, OverlappingScopes, require_antichain


@pytest.fixture(autouse=True)
def bare_metal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The machine that runs the tests may be virtual and AMD's; the one under test is neither. No perf."""
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nvendor_id\t: GenuineIntel\n")
    monkeypatch.setattr("joulemark.meters.rapl.powercap.CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setenv(SYS_VARIABLE, str(tmp_path / "no-sys"))
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: False)
    monkeypatch.setattr(rapl_finding, "is_virtual", lambda: False)
    monkeypatch.setattr(rapl_finding, "is_wsl", lambda: False)
    monkeypatch.setattr(rapl_finding, "is_container", lambda: False)


@pytest.fixture
def public() -> Iterator[Path]:
    with public_directory() as directory:
        yield directory


def found(tree: FakePowercap, monkeypatch: pytest.MonkeyPatch) -> list:  # type: ignore[type-arg]
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    return discover(["rapl"])


def source_of(tree: FakePowercap, name: str, clock: VirtualClock | None = None) -> RaplSource:
    return RaplSource(next(domain for domain in find_domains(tree.root) if domain.name == name), clock)


def test_domains_and_their_scopes(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=2, uncore=True, psys=True)
    scopes = {domain.name: domain.scope.path for domain in find_domains(tree.root)}
    assert scopes == {
        "psys": PSYS,
        "package-0": f"{PSYS}/package:0",
        "package-0/core": f"{PSYS}/package:0/core",
        "package-0/uncore": f"{PSYS}/package:0/uncore",
        "package-0/dram": f"{PSYS}/dram:0",
        "package-1": f"{PSYS}/package:1",
        "package-1/core": f"{PSYS}/package:1/core",
        "package-1/uncore": f"{PSYS}/package:1/uncore",
        "package-1/dram": f"{PSYS}/dram:1",
    }


def test_core_is_no_summand_beside_its_package_but_memory_is(tmp_path: Path) -> None:
    domains = {d.name: d.scope for d in find_domains(FakePowercap(tmp_path, packages=2).root)}
    require_antichain([domains["package-0"], domains["package-0/dram"], domains["package-1"]])
    with pytest.raises(OverlappingScopes):
        require_antichain([domains["package-0"], domains["package-0/core"]])


def test_two_dies_are_two_packages(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, dies=2, core=False, dram=False)
    domains = find_domains(tree.root)
    assert [domain.name for domain in domains] == ["package-0-die-0", "package-0-die-1"]
    require_antichain([domain.scope for domain in domains])
    assert {domain.scope.kind for domain in domains} == {"package"}


def test_the_mmio_twin_is_dropped(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=2, mmio=True, core=False, dram=False)
    domains = find_domains(tree.root)
    assert [domain.directory.name for domain in domains] == ["intel-rapl:0", "intel-rapl:1"]
    assert [twin.name for domain in domains for twin in domain.twins] == [
        "intel-rapl-mmio:0",
        "intel-rapl-mmio:1",
    ]


def test_mmio_alone_is_used(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=0)
    tree.add_zone("intel-rapl-mmio:0", "package-0")
    assert [domain.directory.name for domain in find_domains(tree.root)] == ["intel-rapl-mmio:0"]


def test_a_second_psys_is_dropped(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, psys=True)
    tree.add_zone("intel-rapl:2", "psys")
    assert [d.name for d in find_domains(tree.root)].count("psys") == 1


def test_the_nested_tree_of_a_container_mount(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, packages=2)
    flat = [(domain.name, domain.scope) for domain in find_domains(tree.root)]
    assert [(domain.name, domain.scope) for domain in find_domains(tree.nested(tmp_path))] == flat


def test_foreign_zones_are_ignored(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, core=False, dram=False)
    tree.add_zone("dtpm:0", "dtpm")
    tree.add_zone("intel-rapl:9", "mystery")
    assert [domain.name for domain in find_domains(tree.root)] == ["package-0"]


def test_a_reading_is_joules(tmp_path: Path) -> None:
    tree, clock = FakePowercap(tmp_path), VirtualClock(5)
    source = source_of(tree, "package-0", clock)
    tree.add_energy_j("intel-rapl:0", 12.5)
    clock.sleep_s(1.0)
    reading = source.read(2)
    assert reading.values == {"energy_j": pytest.approx(12.5)}
    assert (reading.segment, reading.t_ns, reading.source) == (2, 1_000_000_005, "rapl:package-0")
    source.close()
    source.close()


def test_facts_of_a_domain(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path, limit_w=125.0)
    info = source_of(tree, "package-0").info
    assert info.counter_wraps
    assert info.counter_modulus_j == pytest.approx(262143.32885)
    assert info.counter_quantum_j == pytest.approx(61e-6, rel=0.01)
    assert info.power_max_w == 125.0
    assert info.power_window_s is None
    assert source_of(tree, "package-0/core").info.power_max_w == 125.0
    assert source_of(tree, "package-0/dram").info.power_max_w is None


def test_without_a_range_the_counter_wraps_at_an_unknown_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = found(FakePowercap(tmp_path, range_uj=None, limit_w=None), monkeypatch)[0]
    assert finding.info.counter_wraps
    assert finding.info.counter_modulus_j is None
    assert "max_energy_range_uj" in finding.why
    assert finding.info.power_max_w is None


def test_a_wrap_shows_as_the_lower_value(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    tree.set_energy_uj("intel-rapl:0", RANGE_UJ - 1_000_000)
    before_j = source.read(0).values["energy_j"]
    tree.add_energy_j("intel-rapl:0", 3.0)
    after_j = source.read(0).values["energy_j"]
    modulus_j = source.info.counter_modulus_j
    assert modulus_j is not None
    assert after_j - before_j + modulus_j == pytest.approx(3.0)


def test_an_unreadable_counter_names_the_rule_that_mends_it(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FakePowercap(public)
    tree.forbid()
    with ordinary_user():
        findings = found(tree, monkeypatch)
    assert len(findings) == 3
    for finding in findings:
        assert finding.spec is None
        assert finding.info is None
        assert "only root" in finding.why
        assert "CVE-2020-8694" in finding.why
        assert f"sudo chmod a+r {tree.root}/*/energy_uj" in finding.fix
        assert "/etc/udev/rules.d/" in finding.fix
        assert 'SUBSYSTEM=="powercap"' in finding.fix


def test_the_fix_is_a_shell_command_that_writes_the_rule(tmp_path: Path) -> None:
    import shlex

    words = shlex.split(rapl_finding.permission_fix(tmp_path).split("for good: ")[1])
    assert words[:2] == ["echo", rapl_finding.RULE]


def test_an_unreadable_range_is_known_to_be_unknown(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(public)
    tree.forbid("max_energy_range_uj")
    with ordinary_user():
        finding = found(tree, monkeypatch)[0]
    assert finding.spec is not None
    assert finding.info.counter_modulus_j is None
    assert finding.info.counter_wraps


def test_permission_lost_while_the_file_is_open_does_no_harm(public: Path) -> None:
    tree = FakePowercap(public)
    with ordinary_user():
        source = source_of(tree, "package-0")
    tree.forbid()
    tree.add_energy_j("intel-rapl:0", 1.0)
    with ordinary_user():
        assert source.read(0).values["energy_j"] == pytest.approx(1.0)
        with pytest.raises(SourceLost, match="permission_denied"):
            source_of(tree, "package-0")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "\n",
            "not supported",
            "nan",
            "inf",
            "-1",
            "+1",
            "1.5",
            "1e6",
            "0x10",
            "1_000",
            "12 34",
            "\uff11\uff12",
        ),
        "1" * 40,
        "\x00" * 8,
    ],
)
def test_a_file_that_holds_no_number_is_flagged(tmp_path: Path, text: str) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    (tree.root / "intel-rapl:0" / "energy_uj").write_text(text)
    reading = source.read(0)
    assert reading.values == {}
    assert reading.flags == ("energy_j:unreadable",)


@given(st.binary(max_size=40))
def test_any_text_is_joules_or_nothing(raw: bytes) -> None:
    energy_j = joules_of(raw)
    if energy_j is None:
        return
    assert energy_j >= 0
    assert int(raw) * 1e-6 == energy_j


@pytest.mark.parametrize("over_uj", [1_000_000, 10**15])
def test_more_than_the_range_is_no_reading(tmp_path: Path, over_uj: int) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    (tree.root / "intel-rapl:0" / "energy_uj").write_text(f"{RANGE_UJ + over_uj}\n")
    reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, ("energy_j:out_of_range",))
    tree.set_energy_uj("intel-rapl:0", RANGE_UJ - 1)
    assert source.read(0).flags == ()


def failing(code: int) -> Callable[[str], None]:
    def show(zone: str) -> None:
        raise OSError(code, os.strerror(code))

    return show


def test_a_passing_error_is_flagged_and_the_counter_goes_on(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    tree.add_energy_j("intel-rapl:0", 5.0)
    with tree.following(failing(errno.EIO)):
        reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, ("energy_j:unreadable",))
    assert source.read(0).values["energy_j"] == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("code", "reason"), [(errno.ENODEV, "gone"), (errno.ENOENT, "gone"), (errno.EACCES, "permission_denied")]
)
def test_a_counter_that_is_taken_away_is_lost(tmp_path: Path, code: int, reason: str) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    with tree.following(failing(code)), pytest.raises(SourceLost, match=reason):
        source.read(0)


def test_one_domain_that_may_not_be_read_hides_no_other(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FakePowercap(public, packages=2, dram=False)
    (tree.root / "intel-rapl:0" / "energy_uj").chmod(0o400)
    with ordinary_user():
        findings = {finding.name: finding for finding in found(tree, monkeypatch)}
    assert findings["rapl:package-0"].spec is None
    readable = [name for name, finding in findings.items() if finding.spec is not None]
    assert readable == ["rapl:package-0/core", "rapl:package-1", "rapl:package-1/core"]


def test_the_other_door_opens_where_the_first_is_shut(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(public, mmio=True, core=False, dram=False)
    tree.set_energy_uj("intel-rapl-mmio:0", 7_000_000)
    (tree.root / "intel-rapl:0" / "energy_uj").chmod(0o400)
    (tree.root / "intel-rapl:0" / "max_energy_range_uj").unlink()
    with ordinary_user():
        (finding,) = found(tree, monkeypatch)
        assert finding.spec is not None
        source = open_source(finding.spec)
    assert source.info.name == "rapl:package-0"
    assert source.read(0).values["energy_j"] == pytest.approx(7.0)
    assert source.info.counter_modulus_j == pytest.approx(RANGE_UJ * 1e-6)


def test_a_domain_without_a_counter_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(tmp_path, core=False)
    (tree.root / "intel-rapl:0" / "energy_uj").unlink()
    findings = {finding.name: finding for finding in found(tree, monkeypatch)}
    assert "gone" in findings["rapl:package-0"].why
    assert findings["rapl:package-0/dram"].spec is not None


@pytest.mark.parametrize("text", ["", "0\n", "-5\n", "unlimited\n", "nan\n"])
def test_a_range_that_is_none_is_not_guessed(tmp_path: Path, text: str) -> None:
    tree = FakePowercap(tmp_path)
    (tree.root / "intel-rapl:0" / "max_energy_range_uj").write_text(text)
    info = source_of(tree, "package-0").info
    assert (info.counter_modulus_j, info.counter_wraps) == (None, True)


def test_a_source_is_called_what_discovery_calls_it(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path)
    spec = SourceSpec("rapl", {"root": str(tree.root), "domain": "package-0", "name": "rapl:package-0:2"})
    source = open_source(spec)
    assert source.info.name == source.read(0).source == "rapl:package-0:2"


def test_a_domain_that_went_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(tmp_path)
    spec = found(tree, monkeypatch)[0].spec
    for path in (tree.root / "intel-rapl:0").iterdir():
        path.unlink()
    with pytest.raises(SourceLost, match="gone"):
        open_source(spec)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("is_virtual", ("virtual machine", "host")),
        ("is_wsl", ("WSL", "Linux")),
        ("is_container", ("container", "docker run -v")),
        (None, ("holds no", "unset")),
    ],
)
def test_no_tree_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str | None, words: tuple[str, str]
) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path / "nothing"))
    if where:
        monkeypatch.setattr(rapl_finding, where, lambda: True)
    (finding,) = discover(["rapl"])
    assert finding.spec is None
    assert words[0] in finding.why
    assert words[1] in finding.fix


def test_a_moved_sysfs_is_named_where_the_tree_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ROOT_VARIABLE, raising=False)
    (finding,) = discover(["rapl"])
    assert finding.fix == f"unset {SYS_VARIABLE}"


def test_values_in_a_virtual_machine_are_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: True)
    finding = found(FakePowercap(tmp_path), monkeypatch)[0]
    assert any(note.startswith("virtual_machine:") for note in finding.info.notes)


def test_virtualization_is_told_from_the_processor_flags(tmp_path: Path) -> None:
    for name, flags, expected in (("a", "fpu hypervisor lm", True), ("b", "fpu lm", False)):
        (tmp_path / name).write_text(f"processor\t: 0\nmodel name\t: X 9000\nflags\t\t: {flags}\n\n")
        assert machine.is_virtual(tmp_path / name) is expected
    assert machine.is_virtual(tmp_path / "none") is False
    assert machine.processor_name(tmp_path / "a") == "X 9000"


def test_the_fake_tree_counts_in_real_time(tmp_path: Path) -> None:
    tree = FakePowercap(tmp_path)
    source = source_of(tree, "package-0")
    with tree.running({"intel-rapl:0": 50.0}):
        time.sleep(0.05)
        first = source.read(0)
        time.sleep(0.3)
        last = source.read(0)
    used_j = last.values["energy_j"] - first.values["energy_j"]
    assert used_j == pytest.approx(50.0 * (last.t_ns - first.t_ns) * 1e-9, rel=0.5)
