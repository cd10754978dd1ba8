"""Whether the user lets runs be submitted: not until `joulemark bench opt-in`, and what that means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson

from joulemark.files.atomic import PRIVATE, write_whole
from joulemark.files.homes import config_home
from joulemark.record.errors import InputError

VERSION = 1
"""Counts up when the text says something new: an older consent is then none."""
TEXT = """\
Submitting runs to a Joulemark board

What leaves this machine, once you opted in and a board's address is known, after every run:
  - what was measured: requested settings, time stamps, token counts, verdicts, readings of the meters,
    idle power, the self-tests of the meters, prices and grid zone if you gave them
  - on what: names of processor, board and model, memory sizes, versions of driver, engine and kernel
  - which program: the version of Joulemark and a hash of its source
  - who: a public key made on this machine, and salted hashes that tell its devices apart and nothing else

What never leaves: questions and answers, notes, commands, paths, addresses, host and user names, serial
numbers, UUIDs, MAC addresses, names of sensors of a home. Of each answer a keyed hash leaves; the key stays
here, and an audit may later ask you, not the board, to open a few of them.
`joulemark bench submit RUN --preview` shows every byte of it.

Submissions are published under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/): anybody may use and
change them, and has to name their source, which is your public key.

`joulemark bench opt-out` ends this. What was sent stays published until `joulemark bench withdraw RUN`; a
board then shows it no more, but copies that others took under the licence cannot be called back."""


@dataclass(frozen=True, slots=True)
class Consent:
    """``given_utc`` is null where there is none. ``server``: the board's address, null where none is set."""

    given_utc: str | None = None
    version: int = 0
    server: str | None = None

    @property
    def holds(self) -> bool:
        """Whether runs may be submitted without asking again."""
        return self.given_utc is not None and self.version == VERSION


def consent_path() -> Path:
    """Return where it is kept."""
    return config_home() / "submissions.json"


def read_consent() -> Consent:
    """Return what is on file; a file that is damaged is no consent."""
    try:
        found = orjson.loads(consent_path().read_bytes())
        given, version, server = found["given_utc"], found["version"], found.get("server")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Consent()
    if not (isinstance(given, str | None) and type(version) is int and isinstance(server, str | None)):
        return Consent()
    return Consent(given, version, server)


def give_consent(server: str | None = None) -> Consent:
    """Note that the user agrees to `TEXT`, and the board; raises `InputError` where that cannot be kept."""
    before = read_consent()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return _keep(Consent(before.given_utc if before.holds else now, VERSION, server or before.server))


def take_back() -> Consent:
    """Note that nothing is to be submitted any more; raises as `give_consent` does."""
    return _keep(Consent(None, 0, read_consent().server))


def _keep(consent: Consent) -> Consent:
    document = {"given_utc": consent.given_utc, "version": consent.version, "server": consent.server}
    try:
        write_whole(consent_path(), orjson.dumps(document) + b"\n", mode=PRIVATE, make_folder=True)
    except OSError as error:
        raise InputError(
            f"{consent_path()} cannot be written",
            why=error.strerror or str(error),
            fix="make its folder writable, or set XDG_CONFIG_HOME to one that is",
        ) from error
    return consent
