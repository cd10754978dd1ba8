"""What discovery says of processor energy counters, and how to be allowed to read them.

Each domain is read from the powercap tree where that is permitted, else through perf; one that cannot be read
does not hide the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from joulemark.meters.machine import is_container, is_virtual, is_wsl
from joulemark.meters.rapl.perf import FORBIDDEN, NOT_PERMITTED, RaplPerfSource, rapl_perf_spec
from joulemark.meters.rapl.pmu import PmuDomain, find_pmu_domains
from joulemark.meters.rapl.powercap import ROOT_VARIABLE, Domain, find_domains, powercap_root
from joulemark.meters.rapl.source import RaplSource, rapl_spec
from joulemark.meters.source import Finding, Source, SourceLost, SourceSpec
from joulemark.meters.sysfs import moved_by, number, sys_root
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope

_MEASURES = "processor packages, their cores and memory: energy"
RULE = (
    'SUBSYSTEM=="powercap", ACTION=="add", '
    "RUN+=\"/bin/sh -c 'test ! -e /sys%p/energy_uj || chmod a+r /sys%p/energy_uj'\""
)
RULE_FILE = "/etc/udev/rules.d/99-joulemark-rapl.rules"
_PARANOID = "kernel.perf_event_paranoid"
_SYSCTL_FILE = "/etc/sysctl.d/99-joulemark-perf.conf"


def find_rapl() -> list[Finding]:
    """Return one finding a domain, or one that says why there is none."""
    root = powercap_root()
    domains = {domain.name: domain for domain in find_domains(root)}
    counted = {domain.name: domain for domain in find_pmu_domains(sys_root())}
    if not domains and not counted:
        why, fix = _why_no_tree(root)
        return [Finding("rapl", "rapl", _MEASURES, why=why, fix=fix)]
    scopes = {name: domain.scope for name, domain in domains.items()}
    scopes |= {name: domain.scope for name, domain in counted.items()}
    hidden = [_why_no_tree(root)] if not domains and not is_virtual() else []
    names = sorted(scopes, key=lambda name: scopes[name])
    return [_find(name, scopes[name], domains.get(name), counted.get(name), root, hidden) for name in names]


def permission_fix(root: Path) -> str:
    """Return the commands that let everybody read the counters of the tree, now and after each boot."""
    return (
        f"now: sudo chmod a+r {root}/*/energy_uj\n"
        f"for good: echo '{_quoted(RULE)}' | sudo tee {RULE_FILE} && sudo udevadm control --reload "
        "&& sudo udevadm trigger --action=add --subsystem-match=powercap"
    )


def perf_fix() -> str:
    """Return the commands that let everybody, or this Python alone, count through perf."""
    return (
        f"now: sudo sysctl {_PARANOID}=0\n"
        f"for good: echo '{_PARANOID}=0' | sudo tee {_SYSCTL_FILE}\n"
        f"or for this Python alone: sudo setcap cap_perfmon=ep {os.path.realpath(sys.executable)}"
    )


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")


def _find(
    name: str,
    scope: Scope,
    domain: Domain | None,
    counted: PmuDomain | None,
    root: Path,
    hidden: Sequence[tuple[str, str]],
) -> Finding:
    """Try the tree, then perf; where neither lets us, say why of each and how to mend one of them.

    ``hidden`` says the same of a tree that shows no domain at all.
    """
    refusals = list(hidden)
    if domain is not None:
        source, refusal = _open_tree(domain, root)
        if source is not None:
            return _found(name, source, rapl_spec(domain, root), _doubt(source.info))
        refusals.append(refusal)
    if counted is not None:
        source, refusal = _open_perf(counted)
        if source is not None:
            return _found(name, source, rapl_perf_spec(counted), _instead(domain, refusals))
        refusals.append(refusal)
    why = "; ".join(dict.fromkeys(why for why, _ in refusals))
    fix = "\nor ".join(dict.fromkeys(fix for _, fix in refusals))
    return Finding("rapl", f"rapl:{name}", _measures(name, scope), why=why, fix=fix)


def _found(name: str, source: Source, spec: SourceSpec, why: str) -> Finding:
    source.close()
    info = source.info
    return Finding("rapl", info.name, _measures(name, info.scope), spec=spec, info=info, why=why)


def _open_tree(domain: Domain, root: Path) -> tuple[Source | None, tuple[str, str]]:
    """Return the open source, or (why not, how to mend it)."""
    if domain.unusable:
        return None, (domain.unusable, "use a wall meter for the whole machine")
    try:
        return RaplSource(domain), ("", "")
    except SourceLost as error:
        if str(error) == "permission_denied":
            why = f"only root may read {domain.directory}/energy_uj (Linux 5.10 and later, CVE-2020-8694)"
            return None, (why, permission_fix(root))
        return None, (f"{domain.directory}/energy_uj: {error}", "sudo dmesg | grep -i rapl")


def _open_perf(domain: PmuDomain) -> tuple[Source | None, tuple[str, str]]:
    """Return the open source, or (why not, how to mend it)."""
    if domain.unusable:
        return None, (f"perf: {domain.unusable}", "another kernel may say; else use a wall meter")
    try:
        return RaplPerfSource(domain, sys_root=sys_root(), powercap=powercap_root()), ("", "")
    except SourceLost as error:
        if str(error) == NOT_PERMITTED:
            return None, (f"perf may not count for the whole machine{_paranoid()}", perf_fix())
        if str(error) == FORBIDDEN:
            return None, ("perf is forbidden here, as in most containers", "docker run --cap-add PERFMON …")
        return None, (f"perf: {error}", "sudo dmesg | grep -i rapl")


def _paranoid(setting: Path = Path("/proc/sys/kernel/perf_event_paranoid")) -> str:
    level = number(setting)
    return f" ({_PARANOID} {'' if level is None else f'is {level}, and '}must be 0 or less)"


def _instead(domain: Domain | None, refusals: Sequence[tuple[str, str]]) -> str:
    """Say why perf is used, for a user who expected the tree."""
    if domain is None:
        return "read through perf: the powercap tree does not show it"
    return "; ".join([*(why for why, _ in refusals), "so it is read through perf"])


def _measures(name: str, scope: Scope) -> str:
    holder = {
        "package": "processor package",
        "core": "the cores of a package",
        "core:0": "one core of a package, as AMD counts",
        "uncore": "the graphics part of a package",
        "dram": "the memory of a package",
        "psys": "the whole platform as the processor sees it",
    }
    return f"{holder.get(scope.label) or holder[scope.kind]} ({name}): energy counter"


def _doubt(info: SourceInfo) -> str:
    if info.counter_modulus_j is None:
        return "max_energy_range_uj cannot be read: an interval in which the counter wraps is withheld"
    return ""


def _why_no_tree(root: Path) -> tuple[str, str]:
    if not sys.platform.startswith("linux"):
        return "the powercap tree is Linux's", "none on this system: only a GPU can be measured here"
    if is_wsl():
        return (
            "WSL 2 shows no processor counters",
            "run on Windows' host through another meter, or on Linux itself",
        )
    if is_virtual():
        why = "this is a virtual machine, and its hypervisor does not pass the counters on"
        return why, "measure on the host; inside this machine the counters cannot be had"
    if is_container():
        why = f"{root} is empty or hidden: containers mask the powercap tree"
        tree = "/sys/devices/virtual/powercap/intel-rapl"
        return why, f"docker run -v {tree}:/powercap:ro -e {ROOT_VARIABLE}=/powercap …"
    if (variable := moved_by(ROOT_VARIABLE)) is not None:
        return f"{root} holds no powercap tree", f"unset {variable}"
    why = f"{root} holds no domain: the driver is not loaded, or this processor has no counters"
    return why, "sudo modprobe intel_rapl_common && sudo modprobe intel_rapl_msr"
