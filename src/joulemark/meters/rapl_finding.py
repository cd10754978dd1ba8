"""What discovery says of processor energy counters, and how to be allowed to read them."""

from __future__ import annotations

import sys
from pathlib import Path

from joulemark.meters.machine import is_container, is_virtual, is_wsl
from joulemark.meters.powercap import DEFAULT_ROOT, ROOT_VARIABLE, Domain, find_domains, powercap_root
from joulemark.meters.rapl import RaplSource, rapl_spec
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.meter import SourceInfo

_MEASURES = "processor packages, their cores and memory: energy"
RULE = (
    'SUBSYSTEM=="powercap", ACTION=="add", '
    "RUN+=\"/bin/sh -c 'test ! -e /sys%p/energy_uj || chmod a+r /sys%p/energy_uj'\""
)
RULE_FILE = "/etc/udev/rules.d/99-joulemark-rapl.rules"


def find_rapl() -> list[Finding]:
    """Return one finding a domain, or one that says why there is none."""
    root = powercap_root()
    domains = find_domains(root)
    if not domains:
        why, fix = _why_no_tree(root)
        return [Finding("rapl", "rapl", _MEASURES, why=why, fix=fix)]
    return [_find_domain(domain, root) for domain in domains]


def permission_fix(root: Path) -> str:
    """Return the commands that let everybody read the counters, now and after each boot."""
    return (
        f"now: sudo chmod a+r {root}/*/energy_uj\n"
        f"for good: echo '{_quoted(RULE)}' | sudo tee {RULE_FILE} && sudo udevadm control --reload "
        "&& sudo udevadm trigger --action=add --subsystem-match=powercap"
    )


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")


def _find_domain(domain: Domain, root: Path) -> Finding:
    name = f"rapl:{domain.name}"
    try:
        source = RaplSource(domain)
    except SourceLost as error:
        if str(error) == "permission_denied":
            why = f"only root may read {domain.directory}/energy_uj (Linux 5.10 and later, CVE-2020-8694)"
            return Finding("rapl", name, _measures(domain), why=why, fix=permission_fix(root))
        why = f"{domain.directory}/energy_uj: {error}"
        return Finding("rapl", name, _measures(domain), why=why, fix="sudo dmesg | grep -i rapl")
    source.close()
    return Finding(
        "rapl",
        name,
        _measures(domain),
        spec=rapl_spec(domain, root),
        info=source.info,
        why=_doubt(source.info),
    )


def _measures(domain: Domain) -> str:
    holder = {
        "package": "processor package",
        "core": "the cores of a package",
        "uncore": "the graphics part of a package",
        "dram": "the memory of a package",
        "psys": "the whole platform as the processor sees it",
    }[domain.scope.kind]
    return f"{holder} ({domain.name}): energy counter"


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
    if root != DEFAULT_ROOT:
        return f"{root} holds no powercap tree", f"unset {ROOT_VARIABLE}"
    why = f"{root} holds no domain: the driver is not loaded, or this processor has no counters"
    return why, "sudo modprobe intel_rapl_common && sudo modprobe intel_rapl_msr"
