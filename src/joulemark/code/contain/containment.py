"""Which containment this machine offers, and what is missing where it is less than the whole."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from joulemark.code.contain import bubblewrap, remedy
from joulemark.code.contain.interpreter import TRIAL, environment, python
from joulemark.record.code_run import DEGRADED

_TRIAL_S = 30.0
_WHY_CHARS = 300


@dataclass(frozen=True, slots=True)
class Containment:
    """What holds a program: the whole, or less with ``missing`` saying what, why, and what would mend it.

    ``namespaces``: own user, process, network, mount, IPC and host name spaces with a read-only root and a
    private ``/tmp``; ``landlock``: files by the kernel's Landlock; ``seccomp``: a list of allowed system
    calls, without which a program may start processes. ``bubblewrap``: the path of ``bwrap`` where that makes
    the namespaces. ``per_run``: each run gets process, mount and IPC namespaces of its own within those of
    its sandbox; without it each run gets a sandbox of its own, which is slower.
    """

    namespaces: bool
    landlock: bool
    seccomp: bool
    missing: tuple[str, ...] = ()
    bubblewrap: str | None = None
    per_run: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return self.namespaces and self.landlock and self.seccomp

    @property
    def flags(self) -> tuple[str, ...]:
        """What every record of a program's run has to carry, in words of `RUN_FLAGS`."""
        return () if self.is_whole else (DEGRADED,)


WHOLE = Containment(namespaces=True, landlock=True, seccomp=True)


def linux() -> bool:
    """Tell whether this is Linux: elsewhere the kernel offers none of it."""
    return sys.platform == "linux"


def probe(*, prefer_bubblewrap: bool = False) -> Containment:
    """Find out what this machine offers by trying it, in a process that ends with the trial.

    Namespaces are made by this program itself, or by ``bwrap`` where that is refused and it is installed, or
    where it is preferred. What cannot be had is in `Containment.missing`, with the command that mends it.
    """
    if not linux():
        return Containment(False, False, False, remedy.not_linux(sys.platform), per_run=False)
    path = bubblewrap.found()
    refused: str | None = None
    used: str | None = None
    with tempfile.TemporaryDirectory(prefix="joulemark-trial-") as place:
        own = _tried(python(TRIAL, place, "own"), place)
        namespaces = per_run = own["namespaces"] is None
        if path is not None and (prefer_bubblewrap or not namespaces):
            made = _by_bubblewrap(path, place)
            if made["namespaces"] is None:
                namespaces, per_run, used = True, made["per_run"] is None, path
            else:
                refused = made["namespaces"]
    missing = []
    if not namespaces:
        missing.append(remedy.namespaces(str(own["namespaces"]), refused))
    if own["landlock"] is not None:
        missing.append(remedy.landlock(own["landlock"]))
    if own["seccomp"] is not None:
        missing.append(remedy.seccomp(own["seccomp"]))
    return Containment(
        namespaces=namespaces,
        landlock=own["landlock"] is None,
        seccomp=own["seccomp"] is None,
        missing=tuple(missing),
        bubblewrap=used,
        per_run=per_run,
    )


def _by_bubblewrap(path: str, place: str) -> dict[str, str | None]:
    """Try ``bwrap``: with the right to make namespaces for each run, else without."""
    trial = python(TRIAL, "/tmp", "given")
    made = _tried([*bubblewrap.command(path, per_run=True), *trial], place)
    if made["namespaces"] is None and made["per_run"] is None:
        return made
    without = _tried([*bubblewrap.command(path, per_run=False), *trial], place)
    return {**without, "per_run": made["per_run"] or "not asked for"}


def _tried(command: list[str], place: str) -> dict[str, str | None]:
    """Return, by part, why it cannot be had, or null. A trial that does not end well has none of it."""
    why = "the trial ended early"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_TRIAL_S,
            check=False,
            cwd=place,
            env=environment(),
        )
        why = done.stderr.strip()[-_WHY_CHARS:] or why
        said: dict[str, str | None] = json.loads(done.stdout.splitlines()[-1])
        return said
    except subprocess.TimeoutExpired:
        why = f"the trial took more than {_TRIAL_S:g} s"
    except OSError as error:
        why = str(error)
    except (ValueError, IndexError):
        pass
    return dict.fromkeys(("namespaces", "per_run", "landlock", "seccomp"), why)
