"""From a run directory to a signed bundle, made so that it verifies, or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import write_archive
from joulemark.bundles.submission.content import Content, cleaned, with_tier
from joulemark.bundles.submission.documents import Software
from joulemark.bundles.submission.private import denied, identities_here
from joulemark.bundles.submission.signed_members import members_of, sign_members
from joulemark.bundles.submission.signing import SigningKey, load_key
from joulemark.bundles.submission.source_hash import software_here
from joulemark.bundles.submission.stated import stated_figures
from joulemark.bundles.submission.verify import verify
from joulemark.bundles.submission.vocabulary import Vocabulary
from joulemark.meters.privacy import load_salt
from joulemark.metrics import summarize
from joulemark.metrics.summary import Summary
from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.runs.recorded import read_run
from joulemark.telemetry.journal import JournalReader


@dataclass(frozen=True, slots=True)
class Packed:
    """A bundle: its bytes, its members, and the figures that it states. ``digest`` is its SHA-256 (hex)."""

    data: bytes
    members: Mapping[str, bytes]
    summary: Summary

    @property
    def digest(self) -> str:
        """What names the bundle."""
        return hashlib.sha256(self.data).hexdigest()


def pack(root: Path, *, key: SigningKey | None = None, words: Vocabulary | None = None) -> Packed:
    """Pack the run at ``root`` for others; the run itself is only read.

    ``key`` and ``words`` are this user's own unless given. Raises `InputError` where there is no run, nothing
    was answered, it is larger than a bundle may be, or something private would leave.
    """
    words = words or Vocabulary(load_salt(), identities_here())
    run = read_run(root)
    journal = run.layout.telemetry_journal
    readings = JournalReader(journal) if journal.exists() else ()
    content = cleaned(run.manifest, run.rows, readings, words)
    if not any(row.item.phase == Phase.MEASURE for row in content.rows):
        raise InputError(
            f"the run at {root} cannot be submitted",
            why="nothing was answered in it",
            fix="go on with it: give the command that began it again",
        )
    return pack_content(content, key or load_key(), words)


def pack_content(
    content: Content, key: SigningKey, words: Vocabulary, software: Software | None = None
) -> Packed:
    """Pack a run that was cleaned; raises as `pack` does."""
    content = with_tier(content, content.view())
    summary = summarize(content.view())
    try:
        members = members_of(content, stated_figures(summary), software or software_here())
    except (ValueError, KeyError) as error:
        raise InputError(
            "the run cannot be submitted",
            why=f"it holds what no bundle can: {error}",
            fix="`joulemark report RUN` shows what is wrong with it",
        ) from error
    signed = sign_members(members, key)
    _require_private(signed, words)
    data = write_archive(signed)
    _require_fitting(content, signed, data)
    found = verify(data)
    if not found.verified:
        raise InputError(
            "the run cannot be submitted",
            why="; ".join(f"{one.check}: {one.why}" for one in found.findings),
            fix="`joulemark report RUN` shows what is wrong with it; if nothing is, please report this",
        )
    return Packed(data, signed, summary)


def _require_private(members: Mapping[str, bytes], words: Vocabulary) -> None:
    """Raise `InputError` where anything private stands anywhere in what would leave."""
    for name, data in members.items():
        lines = data.splitlines() if name.endswith(".jsonl") else [data]
        for number, line in enumerate(lines, 1):
            place, what = next(denied(orjson.loads(line), words.identities), ("", ""))
            if what:
                raise InputError(
                    "the run is not packed",
                    why=f"{name}, line {number}, would give away {what} at {place}",
                    fix="this is a fault of the program, please report it: nothing left this machine",
                )


def _require_fitting(content: Content, members: Mapping[str, bytes], data: bytes) -> None:
    unpacked = sum(map(len, members.values()))
    n_values = sum(len(one.values) for one in content.readings)
    why = None
    if len(content.rows) > m.MAX_ITEMS:
        why = f"it has {len(content.rows):,} answers, and {m.MAX_ITEMS:,} is the most"
    elif n_values > m.MAX_SAMPLES:
        why = f"it has {n_values:,} values of meters, and {m.MAX_SAMPLES:,} is the most"
    elif unpacked > m.MAX_UNPACKED or len(data) > m.MAX_PACKED:
        why = f"it has {unpacked:,} bytes ({len(data):,} packed), which is more than a bundle may have"
    if why is not None:
        raise InputError("the run is too large to be submitted", why=why, fix="submit a shorter run")
