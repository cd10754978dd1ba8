"""What this machine offers is found out by trying it, and what is missing is said with its remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joulemark.code.contain import bubblewrap, containment, remedy
from joulemark.code.contain.containment import WHOLE, Containment, probe
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.record.code_run import DEGRADED

_DOUBLE = Path(__file__).parents[2] / "doubles" / "bwrap.sh"
_REACHED = {
    Path(one).relative_to("/tmp").parts[0] for one in (sys.prefix, sys.base_prefix) if one.startswith("/tmp/")
}
"""Folders on the way to the interpreter, where this very checkout lies in ``/tmp``; else none."""
_SOURCE = """
import os
def f():
    before = os.listdir("/tmp")
    open("/tmp/mine", "w").close()
    seen = [one for one in ("/etc/passwd", "/proc/self") if os.path.exists(one)]
    try:
        os.fchmod(0, 0o666)
        os.chmod("/dev/null", 0o666)
        seen.append("changed")
    except OSError:
        pass
    try:
        os.fork()
        seen.append("forked")
    except OSError:
        pass
    return before + seen
"""


def _holds(found: Containment) -> None:
    """Run a program twice that looks for what it must not see."""
    with Sandbox(found, Limits()) as box:
        for _ in range(2):
            with box.cell() as cell:
                cell.load(_SOURCE, "f")
                called = cell.call([encode(())])
                assert set(called.values[0]) <= _REACHED, called.detail
                assert called.flags == ()
        until = time.monotonic() + 2
        while box.n_processes() and time.monotonic() < until:
            time.sleep(0.01)
        assert box.n_processes() == 0


def _double(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    real = shutil.which("bwrap")
    if real is None and kind != "refused":
        pytest.skip("bubblewrap is not installed here: apt-get install bubblewrap")
    monkeypatch.setattr(containment, "environment", lambda: {**os.environ, **_variables(kind, real)})
    monkeypatch.setattr(bubblewrap, "found", lambda: str(_DOUBLE))
    for name, value in _variables(kind, real).items():
        monkeypatch.setenv(name, value)


def _variables(kind: str, real: str | None) -> dict[str, str]:
    return {"BWRAP_DOUBLE": kind, "BWRAP_REAL": real or "/nonexistent"}


def test_this_machine_is_tried_and_holds() -> None:
    found = probe()
    if not found.is_whole:
        assert found.missing
        assert found.flags == (DEGRADED,)
        pytest.skip(f"no whole containment here: {found.missing}")
    assert found == WHOLE
    _holds(found)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_bubblewrap_makes_the_namespaces_where_it_is_preferred() -> None:
    found = probe(prefer_bubblewrap=True)
    if found.bubblewrap is None:
        pytest.skip("bubblewrap is not allowed to make namespaces here")
    assert found.is_whole
    _holds(found)


@pytest.mark.parametrize("kind", ["powerless", "weak"])
def test_each_run_has_a_sandbox_of_its_own_where_bubblewrap_gives_no_rights(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _double(monkeypatch, kind)
    found = probe(prefer_bubblewrap=True)
    if found.bubblewrap is None:
        pytest.skip("bubblewrap is not allowed to make namespaces here")
    assert found.is_whole
    assert not found.per_run
    monkeypatch.setattr("joulemark.code.contain.starter.environment", lambda: {**os.environ})
    _holds(found)


def test_a_refused_bubblewrap_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    _double(monkeypatch, "refused")
    found = probe(prefer_bubblewrap=True)
    assert found.bubblewrap is None
    made = containment._by_bubblewrap(str(_DOUBLE), "/")
    assert "Permission denied" in str(made["namespaces"])


def test_where_both_are_refused_it_says_why_and_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _double(monkeypatch, "refused")
    real = containment._tried

    def no_namespaces(command: list[str], place: str) -> dict[str, str | None]:
        tried = real(command, place)
        return {**tried, "namespaces": tried["namespaces"] or "[Errno 1] Operation not permitted"}

    monkeypatch.setattr(containment, "_tried", no_namespaces)
    found = probe()
    assert not found.namespaces
    assert not found.is_whole
    (said,) = [one for one in found.missing if one.startswith("own namespaces")]
    assert "Operation not permitted" in said
    assert "bwrap: bwrap: setting up uid map: Permission denied" in said
    assert "; fix: " in said
    with Sandbox(found, Limits()) as box, box.cell() as cell:
        cell.load("def f():\n    return 1", "f")
        assert cell.call([encode(())]).flags == (DEGRADED,)


def test_a_trial_that_breaks_has_none_of_it(tmp_path: Path) -> None:
    for command in (
        ["/no/such/program"],
        ["sh", "-c", "echo words >&2; exit 3"],
        ["sh", "-c", "echo no json"],
    ):
        found = containment._tried(command, str(tmp_path))
        assert set(found) == {"namespaces", "per_run", "landlock", "seccomp"}
        assert all(found.values())
    assert "words" in str(containment._tried(["sh", "-c", "echo words >&2"], str(tmp_path))["seccomp"])


def test_elsewhere_it_is_degraded_and_labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = probe()
    assert (found.namespaces, found.landlock, found.seccomp) == (False, False, False)
    assert found.flags == (DEGRADED,)
    assert "macOS" in found.missing[0]
    assert "fix: " in found.missing[0]


@pytest.mark.parametrize(
    ("files", "installed", "wanted"),
    [
        ({"_MOST": "0"}, False, "sysctl -w user.max_user_namespaces="),
        ({"_DEBIAN": "0"}, False, "sysctl -w kernel.unprivileged_userns_clone=1"),
        ({"_APPARMOR": "1"}, False, "apt-get install bubblewrap"),
        ({"_APPARMOR": "1"}, True, "apparmor_restrict_unprivileged_userns=0"),
        ({}, False, "apt-get install bubblewrap"),
        ({}, True, "ask who looks after"),
        ({"container": ""}, False, "docker run --security-opt seccomp=unconfined"),
    ],
)
def test_the_remedy_fits_what_the_system_says(
    files: dict[str, str], installed: bool, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_MOST", "_DEBIAN", "_APPARMOR"):
        place = tmp_path / name
        if name in files:
            place.write_text(files[name] + "\n")
        monkeypatch.setattr(remedy, name, place)
    container = tmp_path / "container"
    if "container" in files:
        container.touch()
    monkeypatch.setattr(remedy, "_CONTAINERS", (container,))
    assert wanted in remedy.namespaces("refused", "no" if installed else None)


def test_the_remedy_for_landlock_names_the_modules_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = tmp_path / "lsm"
    monkeypatch.setattr(remedy, "_ACTIVE_MODULES", modules)
    assert "5.13" in remedy.landlock("none")
    modules.write_text("capability,yama,apparmor")
    assert "lsm=landlock,capability,yama,apparmor" in remedy.landlock("none")


def test_the_double_is_a_program_that_this_machine_can_run() -> None:
    done = subprocess.run(
        [str(_DOUBLE), "x"], env={**os.environ, "BWRAP_DOUBLE": "refused"}, capture_output=True, check=False
    )
    assert done.returncode == 1
