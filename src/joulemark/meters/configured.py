"""The meters that a user keeps on file, so that ``auto`` finds a plug on the network again."""

from __future__ import annotations

import difflib
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

from joulemark.files.atomic import write_whole
from joulemark.files.homes import config_home
from joulemark.record.errors import InputError


def meters_path() -> Path:
    """Return where the user's meters are kept: a TOML file with one list, ``meters``."""
    return config_home() / "meters.toml"


def configured_meters() -> list[str]:
    """Return the meters on file; none where there is no file. Raises `InputError` where it is malformed.

    What each of them names is not looked at.
    """
    try:
        document = tomllib.loads(meters_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise malformed(error.strerror or str(error)) from error
    except RecursionError as error:
        raise malformed("it is nested too deeply") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise malformed(str(error)) from error
    except ValueError as error:
        raise malformed("a number in it has thousands of digits") from error
    meters = document.get("meters", [])
    if not isinstance(meters, list) or not all(isinstance(meter, str) for meter in meters):
        raise malformed("`meters` is no list of texts")
    return meters


def malformed(why: str) -> InputError:
    """Return the error about the file of the meters."""
    path = meters_path()
    return InputError(f"{path} is malformed", why=why, fix=f"mend it, or remove it: rm {path}")


def keep_meters(meters: Sequence[str]) -> Path:
    """Add ``meters`` to those on file and return the file; raises `InputError` where it cannot be written."""
    return _write(list(dict.fromkeys([*configured_meters(), *meters])))


def forget_meters(meters: Sequence[str]) -> list[str]:
    """Take ``meters`` off the file and return them as they stood there.

    Each is named as it was kept, or by its address alone where one meter has it. Raises `InputError`, and
    forgets none, where one of them is not on file or the file cannot be written.
    """
    kept = configured_meters()
    forgotten = list(dict.fromkeys(_on_file(meter, kept) for meter in meters))
    _write([meter for meter in kept if meter not in forgotten])
    return forgotten


def forget_command(meter: str) -> str:
    """Return the command that takes a meter off the file."""
    return f"joulemark doctor --forget {shlex.quote(meter)}"


def _on_file(meter: str, kept: Sequence[str]) -> str:
    """Return the meter on file that ``meter`` names; raises `InputError`, with those that there are."""
    if meter in kept:
        return meter
    same = [one for one in kept if one.partition(":")[2] == meter]
    if len(same) == 1:
        return same[0]
    if not kept:
        raise InputError(f"the meter {meter!r} is not on file", why=f"no meter is kept in {meters_path()}")
    near = same or difflib.get_close_matches(meter, kept, n=1, cutoff=0.0)
    raise InputError(
        f"{meter!r} names several meters on file" if same else f"the meter {meter!r} is not on file",
        why=f"on file: {', '.join(dict.fromkeys(kept))}",
        fix=" or ".join(map(forget_command, near)),
    )


def _write(kept: Sequence[str]) -> Path:
    path = meters_path()
    lines = "".join(f"  {_quoted(meter)},\n" for meter in kept)
    text = f"# Meters that `auto` reads beside this machine's own.\nmeters = [\n{lines}]\n"
    try:
        write_whole(path, text.encode(), make_folder=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written", why=str(error.strerror)) from error
    return path


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if not escaped.isprintable():
        raise InputError(f"the meter {text!r} cannot be kept", why="it holds control characters")
    return f'"{escaped}"'
