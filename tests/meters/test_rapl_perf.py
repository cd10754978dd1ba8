"""Processor counters through perf: the fake PMU behind the C library's door to the kernel."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from doubles.perf import FakePmu
from doubles.powercap import RANGE_UJ, FakePowercap, ordinary_user, public_directory
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.notes import VIRTUAL_MACHINE, has_note
from joulemark.meters.qualification import qualify
from joulemark.meters.rapl import finding as rapl_finding
from joulemark.meters.rapl.event import PowerEvent
from joulemark.meters.rapl.pmu import find_pmu_domains
from joulemark.meters.rapl.powercap import ROOT_VARIABLE, find_domains
from joulemark.meters.source import Finding, Source, SourceLost, SourceSpec
from joulemark.record.clock import VirtualClock
from joulemark.record.meter import Trust
from joulemark.record.scope import Scope, require_antichain

ALL = ("energy-pkg", "energy-cores", "energy-ram", "energy-gpu", "energy-psys")
MakePmu = Callable[..., tuple[FakePmu, VirtualClock]]


def vendor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    (tmp_path / f"cpuinfo-{name}").write_text(f"vendor_id\t: {name}\n")
    monkeypatch.setattr("joulemark.meters.rapl.powercap.CPUINFO", tmp_path / f"cpuinfo-{name}")


@pytest.fixture(autouse=True)
def bare_intel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The machine that runs the tests may be virtual and AMD's; the one under test is neither."""
    vendor(monkeypatch, tmp_path, "GenuineIntel")
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: False)
    monkeypatch.setattr(rapl_finding, "is_virtual", lambda: False)
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path / "no-powercap"))


@pytest.fixture
def pmu() -> Iterator[MakePmu]:
    """Make a PMU that this process sees, on virtual time."""
    with ExitStack() as stack, public_directory() as directory:

        def make(**settings: object) -> tuple[FakePmu, VirtualClock]:
            clock = VirtualClock()
            fake = FakePmu(directory, **settings)  # type: ignore[arg-type]
            stack.enter_context(fake.in_process(clock.now_ns))
            return fake, clock

        yield make


def found() -> dict[str, Finding]:
    return {finding.name: finding for finding in discover(["rapl"])}


def opened(name: str = "rapl_perf:package-0", clock: VirtualClock | None = None) -> Source:
    spec = found()[name].spec
    assert spec is not None
    return open_source(spec, clock)


def test_each_event_has_the_scope_that_powercap_gives_it(pmu: MakePmu, tmp_path: Path) -> None:
    pmu(packages=1, events=ALL)
    tree = FakePowercap(tmp_path / "tree", uncore=True, psys=True)
    counted = {finding.info.scope for finding in discover(["rapl"]) if finding.info}
    assert counted == {domain.scope for domain in find_domains(tree.root)}
    assert {finding.spec.kind for finding in discover(["rapl"]) if finding.spec} == {"rapl_perf"}


def test_a_reading_is_joules_since_opening(pmu: MakePmu) -> None:
    _, clock = pmu(power_w=40.0)
    clock.sleep_s(100.0)
    source = opened(clock=clock)
    assert source.read(0).values == {"energy_j": 0.0}
    clock.sleep_s(2.5)
    reading = source.read(3)
    assert reading.values == {"energy_j": pytest.approx(100.0, abs=1e-6)}
    assert (reading.segment, reading.t_ns, reading.source) == (3, clock.now_ns(), "rapl_perf:package-0")
    assert reading.scope == Scope.package(0).path
    source.close()
    source.close()


def test_four_months_do_not_wrap(pmu: MakePmu) -> None:
    _, clock = pmu(power_w=400.0)
    source = opened(clock=clock)
    clock.sleep_s(1e7)
    assert source.read(0).values["energy_j"] == pytest.approx(4e9)
    assert (source.info.counter_wraps, source.info.counter_modulus_j) == (False, None)


def test_each_package_is_counted_on_a_processor_of_its_own(pmu: MakePmu) -> None:
    fake, clock = pmu(packages=2, events=("energy-pkg",))
    fake.event(cpu=2).power_w = 90.0
    sources = [opened(f"rapl_perf:package-{package}", clock) for package in (0, 1)]
    clock.sleep_s(1.0)
    assert [source.read(0).values["energy_j"] for source in sources] == pytest.approx([40.0, 90.0])


def test_dies_are_packages_on_intel_and_one_package_on_amd(
    pmu: MakePmu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, _ = pmu(packages=2, dies=2, events=("energy-pkg",))
    domains = find_pmu_domains(fake.root)
    assert [domain.name for domain in domains] == [f"package-{p}-die-{d}" for p in (0, 1) for d in (0, 1)]
    require_antichain([domain.scope for domain in domains])
    vendor(monkeypatch, tmp_path, "AuthenticAMD")
    assert [(domain.name, domain.cpu) for domain in find_pmu_domains(fake.root)] == [
        ("package-0", 0),
        ("package-1", 4),
    ]


def test_a_package_named_twice_is_counted_once(pmu: MakePmu) -> None:
    fake, _ = pmu(cpumask="0-1", events=("energy-pkg",))
    assert [(domain.name, domain.cpu) for domain in find_pmu_domains(fake.root)] == [("package-0", 0)]


def test_a_die_that_the_kernel_does_not_know_is_the_first(pmu: MakePmu) -> None:
    fake, _ = pmu(dies=2, events=("energy-pkg",))
    (fake.root / "devices" / "system" / "cpu" / "cpu0" / "topology" / "die_id").write_text("-1\n")
    assert [domain.name for domain in find_pmu_domains(fake.root)] == ["package-0-die-0", "package-0-die-1"]


def test_several_platform_counters_are_not_believed(pmu: MakePmu) -> None:
    pmu(packages=2, events=("energy-pkg", "energy-psys"))
    findings = found()
    assert findings["rapl:psys"].spec is None
    assert "not documented" in findings["rapl:psys"].why
    assert findings["rapl_perf:package-1"].spec is not None


@pytest.mark.parametrize(
    ("code", "words", "fix"),
    [
        (
            errno.EACCES,
            "kernel.perf_event_paranoid",
            ("sudo sysctl kernel.perf_event_paranoid=0", "sudo setcap cap_perfmon"),
        ),
        (errno.EPERM, "containers", ("--cap-add PERFMON",)),
        (errno.ENOSYS, "no_perf_events", ("dmesg",)),
        (errno.EOPNOTSUPP, "not_supported", ("dmesg",)),
        (errno.EMFILE, "unreadable", ("dmesg",)),
    ],
)
def test_a_refusal_says_why_and_what_to_do(pmu: MakePmu, code: int, words: str, fix: tuple[str, ...]) -> None:
    fake, _ = pmu(events=("energy-pkg",))
    fake.forbid(code)
    (finding,) = found().values()
    assert (finding.kind, finding.spec, finding.info) == ("rapl", None, None)
    assert words in finding.why
    for command in fix:
        assert command in finding.fix


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"unit": "milliJoules"}, "milliJoules"),
        ({"unit": None}, "not stated"),
        ({"scale": None}, "scale"),
        ({"scale": "0"}, "scale"),
        ({"scale": "nan"}, "scale"),
        ({"scale": "-1e-10"}, "scale"),
        ({"scale": "two"}, "scale"),
        ({"text": "event=0x02,umask=0x1\n"}, "not known"),
        ({"text": ""}, "not known"),
        ({"text": "event=0x1ff\n"}, "not known"),
    ],
)
def test_an_event_that_is_not_joules_is_refused(
    pmu: MakePmu, described: dict[str, str | None], words: str
) -> None:
    fake, _ = pmu(events=("energy-pkg", "energy-ram"))
    fake.write_event("energy-pkg", **described)
    findings = found()
    assert findings["rapl:package-0"].spec is None
    assert words in findings["rapl:package-0"].why
    assert findings["rapl_perf:package-0/dram"].spec is not None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("type", "power\n"),
        ("type", ""),
        ("cpumask", ""),
        ("cpumask", "all\n"),
        ("cpumask", "0-\n"),
        ("cpumask", "-1\n"),
        ("cpumask", "0-99999999999\n"),
        ("cpumask", "77\n"),  # a processor that is not there
    ],
)
def test_a_pmu_without_type_or_processors_is_none(pmu: MakePmu, file: str, text: str) -> None:
    fake, _ = pmu()
    (fake.pmu / file).write_text(text)
    assert find_pmu_domains(fake.root) == []


def test_the_tree_is_preferred_domain_by_domain(pmu: MakePmu, monkeypatch: pytest.MonkeyPatch) -> None:
    pmu(events=("energy-pkg", "energy-ram", "energy-cores"))
    with public_directory() as public:
        tree = FakePowercap(public, dram=False)
        (tree.root / "intel-rapl:0:0" / "energy_uj").chmod(0o400)
        monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
        with ordinary_user():
            findings = found()
            specs = {name: finding.spec.kind for name, finding in findings.items() if finding.spec}
            assert specs == {
                "rapl:package-0": "rapl",  # readable in the tree
                "rapl_perf:package-0/core": "rapl_perf",  # not permitted there
                "rapl_perf:package-0/dram": "rapl_perf",  # not there
            }
    assert "only root" in findings["rapl_perf:package-0/core"].why
    assert "so it is read through perf" in findings["rapl_perf:package-0/core"].why
    assert {finding.kind for finding in findings.values()} == {"rapl"}
    assert without_duplicates(list(findings.values())) == list(findings.values())


def test_where_both_refuse_both_ways_out_are_named(pmu: MakePmu, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, _ = pmu(events=("energy-pkg",))
    fake.forbid(errno.EACCES)
    with public_directory() as public:
        tree = FakePowercap(public, core=False, dram=False)
        tree.forbid()
        monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
        with ordinary_user():
            (finding,) = found().values()
    assert finding.spec is None
    assert "only root may read" in finding.why
    assert "perf_event_paranoid" in finding.why
    assert f"sudo chmod a+r {tree.root}/*/energy_uj" in finding.fix
    assert "sudo sysctl kernel.perf_event_paranoid=0" in finding.fix


def test_in_a_container_both_doors_are_named(pmu: MakePmu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapl_finding, "is_container", lambda: True)
    fake, _ = pmu(events=("energy-pkg",))
    fake.forbid(errno.EPERM)
    (finding,) = found().values()
    assert "containers mask the powercap tree" in finding.why
    assert "docker run -v" in finding.fix
    assert "--cap-add PERFMON" in finding.fix


def test_the_same_package_by_tree_and_by_perf_is_read_once(
    pmu: MakePmu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pmu(events=("energy-pkg",))
    by_perf = discover(["rapl"])
    tree = FakePowercap(tmp_path / "tree", core=False, dram=False)
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    by_tree = discover(["rapl"])
    kept = [finding for finding in without_duplicates([*by_tree, *by_perf]) if finding.spec]
    assert [finding.name for finding in kept] == ["rapl:package-0"]


def test_step_and_limit_come_from_the_tree_where_there_is_one(
    pmu: MakePmu, monkeypatch: pytest.MonkeyPatch
) -> None:
    pmu(events=("energy-pkg", "energy-psys"))
    without = opened().info
    assert (without.power_max_w, without.counter_quantum_j) == (None, 2**-14)
    assert found()["rapl_perf:psys"].info.counter_quantum_j == 1.0  # type: ignore[union-attr]
    with public_directory() as public:
        tree = FakePowercap(public, core=False, dram=False, limit_w=125.0)
        tree.forbid()
        monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
        with ordinary_user():
            info = found()["rapl_perf:package-0"].info
    assert info is not None
    assert info.power_max_w == 125.0
    assert info.counter_quantum_j == pytest.approx(RANGE_UJ * 1e-6 / 2**32)


def test_energy_that_was_not_counted_all_the_time_is_absent(pmu: MakePmu) -> None:
    fake, clock = pmu()
    source = opened(clock=clock)
    fake.event().running_share = 0.5
    clock.sleep_s(1.0)
    reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, ("energy_j:not_counting",))
    fake.event().running_share = 0.0
    assert source.read(0).values == {}


def test_a_passing_error_is_flagged(pmu: MakePmu) -> None:
    fake, clock = pmu()
    source = opened(clock=clock)
    fake.event().gap_from_ns, fake.event().gap_to_ns = 0, 10**9
    reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, ("energy_j:unreadable",))
    clock.sleep_s(1.5)
    assert source.read(0).values["energy_j"] == pytest.approx(60.0)


def test_a_processor_that_goes_away_takes_the_counter_with_it(pmu: MakePmu) -> None:
    fake, clock = pmu()
    spec = found()["rapl_perf:package-0"].spec
    assert spec is not None
    source = open_source(spec, clock)
    fake.event().lost_at_ns = 10**9
    clock.sleep_s(2.0)
    with pytest.raises(SourceLost, match="gone"):
        source.read(0)
    with pytest.raises(SourceLost, match="gone"):
        open_source(spec, clock)


def test_it_passes_its_self_test(pmu: MakePmu) -> None:
    _, clock = pmu(power_w=35.0)
    test = qualify(opened(clock=clock), clock)
    assert test.trust is Trust.QUALIFIED
    assert test.update_period_s == pytest.approx(0.001, rel=0.1)


def test_a_virtual_machines_value_is_marked(pmu: MakePmu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: True)
    _, clock = pmu(power_w=35.0)
    source = opened(clock=clock)
    assert has_note(source.info, VIRTUAL_MACHINE)
    assert qualify(source, clock).trust is Trust.SUSPECT


def test_a_source_is_called_what_discovery_calls_it(pmu: MakePmu) -> None:
    pmu()
    spec = found()["rapl_perf:package-0"].spec
    assert spec is not None
    source = open_source(SourceSpec(spec.kind, {**spec.args, "name": "rapl_perf:package-0:2"}))
    assert source.info.name == source.read(0).source == "rapl_perf:package-0:2"


def test_a_domain_that_the_pmu_does_not_have_is_lost(pmu: MakePmu) -> None:
    pmu()
    spec = found()["rapl_perf:package-0"].spec
    assert spec is not None
    with pytest.raises(SourceLost, match="gone"):
        open_source(SourceSpec(spec.kind, {**spec.args, "domain": "package-7"}))


def test_another_process_counts_by_the_preloaded_library(tmp_path: Path) -> None:
    """No variable of ours names the library here: the program takes its own C library's `syscall`."""
    fake = FakePmu(tmp_path, power_w=64.0)
    code = (
        "import json, time\n"
        "from joulemark.meters.discovery import discover, open_source\n"
        "finding = next(f for f in discover(['rapl']) if f.name == 'rapl_perf:package-0')\n"
        "source = open_source(finding.spec)\n"
        "a = source.read(0); time.sleep(0.2); b = source.read(0); source.close()\n"
        "print(json.dumps([(b.values['energy_j'] - a.values['energy_j']), (b.t_ns - a.t_ns) * 1e-9]))"
    )
    env = {name: value for name, value in fake.preloaded_env.items() if name != "JOULEMARK_LIBC"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    joules, seconds = json.loads(done.stdout)
    assert joules == pytest.approx(64.0 * seconds, abs=64.0 * 0.02)


def test_the_machines_own_kernel_answers_for_other_types(pmu: MakePmu) -> None:
    pmu()
    with pytest.raises(OSError, match=r".") as caught:
        PowerEvent(0x7FFFFFF0, 1, 0)  # no PMU has this type
    assert caught.value.errno in {errno.ENOENT, errno.ENOSYS, errno.EACCES, errno.EPERM, errno.EINVAL}


def test_the_call_and_its_answer_are_those_of_the_real_kernel() -> None:
    """Count a processor's clock, which any kernel has: the structures are the same for every PMU."""
    software, cpu_clock = 1, 0
    try:
        event = PowerEvent(software, cpu_clock, 0)
    except OSError as error:
        pytest.skip(f"this kernel lets nobody here count: {error}")
    first = event.read()
    time.sleep(0.02)
    last = event.read()
    event.close()
    count_ns, enabled_ns, running_ns = (b - a for a, b in zip(first, last, strict=True))
    assert enabled_ns == running_ns >= 20_000_000
    assert count_ns == pytest.approx(enabled_ns, rel=0.05)
