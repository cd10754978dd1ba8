"""The user who evaluates uploads: never root, whoever started the worker."""

from __future__ import annotations

import os
import pwd
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import joulemark
from joulemark.record.errors import InputError

_NOBODY = "nobody"
_TRIAL = "import os, sys; os.listdir(sys.argv[1]); import joulemark.board.code_service.evaluating"
_TRIAL_S = 60.0
_MOST_LINKS = 40  # as many as Linux follows


@dataclass(frozen=True, slots=True)
class User:
    """An ordinary user by numbers; ``changes``: whether that is another one than the worker's own."""

    uid: int
    gid: int
    name: str
    changes: bool


def ordinary_user(name: str | None) -> User:
    """Return who evaluates: the worker's own user, or ``name`` (default `nobody`) where that is root.

    Raises `InputError` for root, and for a user that one may not become.
    """
    uid = os.geteuid()
    if uid != 0:
        own = User(uid, os.getegid(), _name_of(uid), changes=False)
        if name not in (None, own.name, str(uid)):
            raise InputError(
                f"this worker cannot become {name}",
                why=f"it was started by {own.name}",
                fix="leave --user out, or start it as root",
            )
        return own
    try:
        entry = pwd.getpwuid(int(name)) if name and name.isdecimal() else pwd.getpwnam(name or _NOBODY)
    except (KeyError, OverflowError) as error:
        raise InputError(f"there is no user {name or _NOBODY}", fix="name one with --user") from error
    if entry.pw_uid == 0:
        raise InputError(
            "uploads are not evaluated by root",
            why="what a hole in the containment lets out would own the machine",
            fix="name an ordinary user with --user",
        )
    return User(entry.pw_uid, entry.pw_gid, entry.pw_name, changes=True)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run a number without a name
        return str(uid)


def working_folder(folder: Path, user: User) -> Path:
    """Return a folder that is the user's alone; it is made where there is none. Raises `InputError`."""
    try:
        if not folder.exists():
            folder.mkdir(mode=0o700, parents=True)
            if user.changes:
                os.chown(folder, user.uid, user.gid)
        facts = folder.lstat()
    except OSError as error:
        raise InputError(
            f"{folder} cannot be made",
            why=error.strerror or str(error),
            fix="name another folder with --work",
        ) from error
    if not folder.is_dir() or folder.is_symlink() or facts.st_uid != user.uid:
        raise InputError(
            f"{folder} is not a folder of {user.name}",
            why="what an evaluation leaves there must be its own",
            fix="remove it, or name another folder with --work",
        )
    return folder.absolute()


def command() -> list[str]:
    """Return what starts the process that evaluates; it looks for modules in no folder that it may write."""
    return [sys.executable, "-P", "-m", "joulemark.board.code_service.evaluating"]


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of that process: nothing of the worker's but where Python finds its modules."""
    given = {name: os.environ[name] for name in ("PYTHONPATH", "TMPDIR", "TZ") if name in os.environ}
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    return {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8", **own, **given}


def identity(user: User) -> dict[str, object]:
    """Return what `subprocess.Popen` needs to start a process as the user."""
    if not user.changes:
        return {"umask": 0o077}
    return {"user": user.uid, "group": user.gid, "extra_groups": [], "umask": 0o077}


def require_start(user: User, folder: Path) -> None:
    """Start the evaluating process's program once, to no end; ``folder`` must be within its reach.

    Raises `InputError` where that fails.
    """
    try:
        tried = subprocess.run(
            [sys.executable, "-P", "-c", _TRIAL, str(folder)],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_S,
            check=False,
            **identity(user),  # type: ignore[call-overload]
        )
        why = tried.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] if tried.returncode else None
    except OSError as error:
        why = [error.strerror or str(error)]
    except subprocess.TimeoutExpired:
        why = [f"it took more than {_TRIAL_S:g} s"]
    if why is not None:
        closed = closed_folders(user, (Path(sys.executable), Path(joulemark.__file__), folder))
        raise InputError(
            f"the user {user.name} cannot evaluate here with {sys.executable}",
            why=(f"it may not pass {' and '.join(map(str, closed))}: " if closed else "")
            + " ".join(why)[:300],
            fix=(
                f"chmod o+x {shlex.join(map(str, closed))}   (others may then pass through, not list it); "
                if closed
                else ""
            )
            + "or install Joulemark where every user may read it (/opt, for example), with a Python that is "
            "not below a user's home, name a folder that every user may reach with --work, or another user "
            "with --user",
        )


def closed_folders(user: User, places: Iterable[Path]) -> list[Path]:
    """Return the folders on the way to these places that the user may not pass, links followed; in order."""
    on_the_way: dict[Path, None] = {}
    for place in places:
        link = place.absolute()
        for _ in range(_MOST_LINKS):
            on_the_way |= dict.fromkeys(reversed((*link.parents, *link.resolve().parents)))
            if not link.is_symlink():
                break
            link = link.parent / link.readlink()
    return [folder for folder in on_the_way if folder.is_dir() and not _may_pass(user, folder)]


def _may_pass(user: User, folder: Path) -> bool:
    facts = folder.stat()
    if facts.st_uid == user.uid:
        return bool(facts.st_mode & stat.S_IXUSR)
    return bool(facts.st_mode & (stat.S_IXGRP if facts.st_gid == user.gid else stat.S_IXOTH))
