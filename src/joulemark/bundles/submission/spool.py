"""Bundles on their way: each a file until the board has answered, so that nothing is lost by a kill."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from joulemark.files.atomic import PRIVATE, create_whole, remove_for_good, write_whole
from joulemark.files.homes import data_home
from joulemark.record.errors import InputError

State = Literal["waiting", "sent", "refused"]
SUFFIX = ".joulemark.zip"
_NAME = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that has yet to arrive. ``kind``: ``submission`` (a bundle) or ``withdrawal`` (JSON).

    ``board``: the address that it is meant for, and the only one that it may go to; null where none was known
    when it was put here.
    """

    digest: str
    kind: Literal["submission", "withdrawal"]
    path: Path
    board: str | None = None

    def read(self) -> bytes:
        """Return what is to be sent; raises ``OSError``."""
        return self.path.read_bytes()


class Spool:
    """The user's outgoing bundles below ``root`` (by default in the user's data)."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or data_home() / "submissions"
        self._waiting = self.root / "waiting"
        self._records = self.root / "records"

    def put(self, bundle: bytes, facts: Mapping[str, Any], board: str | None = None) -> str:
        """Keep a bundle until it was sent to ``board``; returns its digest. Of the same bundle there is one.

        ``facts`` (the run's id among them) are kept on this machine. A board that is named takes the place of
        one that was before. Raises `InputError` where it cannot be written.
        """
        digest = hashlib.sha256(bundle).hexdigest()
        try:
            self._note(digest, {**facts, **({} if board is None else {"meant_for": board})})
            create_whole(self._waiting / f"{digest}{SUFFIX}", bundle)
        except OSError as error:
            raise _unwritable(self.root, error) from error
        return digest

    def put_withdrawal(self, digest: str, statement: bytes, board: str | None = None) -> None:
        """Keep the signed statement of a withdrawal until ``board`` has it; raises `InputError`."""
        try:
            if board is not None:
                self._note(digest, {"withdrawn_from": board})
            create_whole(self._waiting / f"{digest}.withdraw.json", statement)
        except OSError as error:
            raise _unwritable(self.root, error) from error

    def waiting(self) -> list[Waiting]:
        """Return what has yet to be sent: bundles first, the oldest of each first."""
        found: list[tuple[bool, int, Waiting]] = []
        for path in self._waiting.glob("*") if self._waiting.is_dir() else ():
            digest, dot, rest = path.name.partition(".")
            if not _NAME.fullmatch(digest) or f"{dot}{rest}" not in (SUFFIX, ".withdraw.json"):
                continue  # a draft that a killed process left
            is_bundle = f"{dot}{rest}" == SUFFIX
            kind: Literal["submission", "withdrawal"] = "submission" if is_bundle else "withdrawal"
            board = self._read(self._record(digest)).get("meant_for" if is_bundle else "withdrawn_from")
            one = Waiting(digest, kind, path, board if isinstance(board, str) else None)
            found.append((not is_bundle, path.stat().st_mtime_ns, one))
        return [one for *_, one in sorted(found, key=lambda one: one[:2])]

    def done(self, one: Waiting, state: State, facts: Mapping[str, Any]) -> None:
        """Note the board's answer, then let go of what was sent. A kill between the two sends it again."""
        try:
            self._note(one.digest, {one.kind: {"state": state, **facts}})
            if state == "sent" or one.kind == "withdrawal":
                remove_for_good(one.path)
            else:  # refused: kept for the user to look at
                one.path.replace(self._records / f"{one.digest}{SUFFIX}")
        except OSError as error:
            raise _unwritable(self.root, error) from error

    def drop(self, digest: str) -> bool:
        """Let go of a bundle that was not sent; returns whether there was one."""
        path = self._waiting / f"{digest}{SUFFIX}"
        if not path.exists():
            return False
        remove_for_good(path)
        return True

    def records(self) -> list[dict[str, Any]]:
        """Return what is known of every bundle that was ever put here."""
        return (
            [self._read(path) for path in sorted(self._records.glob("*.json"))]
            if self._records.is_dir()
            else []
        )

    def of(self, name: str) -> list[dict[str, Any]]:
        """Return the records of a bundle by its digest (eight digits are enough), or by its run's id."""
        return [
            one
            for one in self.records()
            if one.get("run_id") == name or (len(name) >= 8 and str(one.get("digest", "")).startswith(name))
        ]

    def _note(self, digest: str, facts: Mapping[str, Any]) -> None:
        place = self._record(digest)
        known = {**self._read(place), "digest": digest, **facts}
        write_whole(place, _json(known), mode=PRIVATE, make_folder=True)

    def _record(self, digest: str) -> Path:
        return self._records / f"{digest}.json"

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            found = orjson.loads(path.read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _json(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def _unwritable(root: Path, error: OSError) -> InputError:
    return InputError(
        f"{root} cannot be written",
        why=error.strerror or str(error),
        fix="free some space, or set XDG_DATA_HOME to a folder that is writable",
    )
