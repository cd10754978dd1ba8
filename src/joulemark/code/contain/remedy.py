"""What is missing from the containment, in words for a reader, with the command that mends it."""

from __future__ import annotations

import platform
import re
import tempfile
from pathlib import Path

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_DEBIAN = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST = Path("/proc/sys/user/max_user_namespaces")
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_ACTIVE_MODULES = Path("/sys/kernel/security/lsm")
_PLACE = re.compile(r"(?<![\w.…])/[\w.+-]+(?:/[\w.+-]+)+/?")
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")


def not_linux(system: str) -> tuple[str, ...]:
    """Say what programs are held by where there is no Linux: limits of resources and of wall time alone."""
    name = {"darwin": "macOS"}.get(system, system)
    text = (
        f"namespaces, Landlock and a list of system calls: {name} has none of them, so that a program can"
        " read files, use the network and leave processes behind; CPU time is seen in steps of 10 ms; fix:"
        " run it on Linux, in a virtual machine for example: limactl start --name=joulemark"
    )
    return (text,)


def namespaces(why: str, bubblewrap: str | None) -> str:
    """Say that own namespaces were refused; ``bubblewrap``: why ``bwrap`` could not make them either."""
    text = f"own namespaces and a read-only root: {_without_places(why)}"
    if bubblewrap:
        text += f"; bwrap: {_without_places(bubblewrap)}"
    return f"{text}; fix: {_fix_of_namespaces(installed=bubblewrap is not None)}"


def landlock(why: str) -> str:
    """Say that there is no Landlock."""
    modules = _read(_ACTIVE_MODULES)
    if modules and "landlock" not in modules:
        fix = f"start the kernel with lsm=landlock,{modules}"
    else:
        fix = (
            "use a kernel from 5.13 on that is built with CONFIG_SECURITY_LANDLOCK (uname -r names this one)"
        )
    return f"limits on files by Landlock: {_without_places(why)}; fix: {fix}"


def seccomp(why: str) -> str:
    """Say that system calls cannot be limited: programs may start processes, whose CPU time is not seen."""
    return (
        f"a list of allowed system calls (seccomp): {_without_places(why)}, so that a program can start"
        f" processes, whose time is not seen; fix: use Linux on x86_64 or aarch64"
        f" (this is {platform.machine()}) with a kernel that is built with CONFIG_SECCOMP_FILTER"
    )


def _fix_of_namespaces(*, installed: bool) -> str:
    if not Path("/proc/self").exists():
        return "mount -t proc proc /proc"
    if any(one.exists() for one in _CONTAINERS):
        return "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …"
    if _read(_MOST) == "0":
        return "sudo sysctl -w user.max_user_namespaces=15000"
    if _read(_DEBIAN) == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _read(_APPARMOR) == "1":
        install = "" if installed else "sudo apt-get install bubblewrap apparmor-profiles, or "
        return f"{install}sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if not installed:
        return "install bubblewrap, for example: sudo apt-get install bubblewrap"
    return "ask who looks after this machine to allow user namespaces"


def _without_places(why: str) -> str:
    """Return words of the system without this machine's directories: records with them are shared."""

    def named(found: re.Match[str]) -> str:
        path = found[0]
        if path.startswith(_OF_THE_SYSTEM):
            return path
        if path.startswith(tempfile.gettempdir() + "/"):
            return "a directory of its own"
        return f"…/{Path(path).name}"

    return _PLACE.sub(named, why)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
