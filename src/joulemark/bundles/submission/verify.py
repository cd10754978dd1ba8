"""Verify a bundle and trust no byte of it: structure, hashes, signature, sense, every figure anew."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

import joulemark
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import read_archive
from joulemark.bundles.submission.canonical import parse
from joulemark.bundles.submission.content import Content, cleaned
from joulemark.bundles.submission.documents import Software, manifest_of, starts_of
from joulemark.bundles.submission.item_lines import row_of
from joulemark.bundles.submission.private import denied
from joulemark.bundles.submission.reading_lines import reading_of
from joulemark.bundles.submission.refusal import NotABundle, Refusal
from joulemark.bundles.submission.sense import nonsense
from joulemark.bundles.submission.signed_members import members_of
from joulemark.bundles.submission.signing import ALGORITHM, is_signed
from joulemark.bundles.submission.source_hash import source_hash
from joulemark.bundles.submission.stated import differences, known_to, stated_figures
from joulemark.bundles.submission.verification import CHECKS, Difference, Finding, Verification
from joulemark.bundles.submission.vocabulary import Vocabulary
from joulemark.metrics import summarize
from joulemark.record.errors import InputError
from joulemark.runs.sound_manifest import require_sound

_HEX_32, _HEX_64 = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{128}")
_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
T = TypeVar("T")


def verify(data: bytes, *, signer: str | None = None) -> Verification:
    """Verify the bytes of a bundle; ``signer``: the public key (hex) that has to have signed it.

    Raises `NotABundle` where they are none, or one of a version that this program does not know. Everything
    else is a finding: nothing that a bundle holds makes this fail otherwise.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        members = read_archive(data)
        head = _head(members)
    except Refusal as refusal:
        return Verification(digest, (), (Finding(refusal.check, refusal.why),))
    findings = [*_hashes(head, members)]
    public, why = _signer(head, members)
    if why is None and signer is not None and public != signer.strip().lower():
        why = "it is signed by another key than the one that was asked for"
    if why is not None:
        findings.append(Finding("signature", why))
    found = Verification(digest, (), (), public_key=public)
    try:
        content, software, stated = _content(members)
    except Refusal as refusal:
        return _closed(found, [*findings, Finding(refusal.check, refusal.why)], reached="schema")
    found = replace(
        found,
        joulemark_version=software.joulemark_version,
        source_hash=software.source_hash,
        is_same_source=software.source_hash == source_hash(),
    )
    senseless = [Finding(check, why) for check, why in nonsense(content)]
    if senseless:
        return _closed(found, [*findings, *senseless], reached="verdicts")
    return _recomputed(found, findings, content, stated)


def _recomputed(found: Verification, findings: list[Finding], content: Content, stated: Any) -> Verification:
    try:
        require_sound(content.manifest)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            view = content.view()
            summary = summarize(view)
            ours = stated_figures(summary)
    except InputError as error:
        return _closed(
            found, [*findings, Finding("recompute", f"{error.what}: {error.why}")], reached="recompute"
        )
    # Whatever made-up numbers do to the arithmetic, they end here.
    except Exception as error:
        why = f"no figures follow from it ({type(error).__name__})"
        return _closed(found, [*findings, Finding("recompute", why)], reached="recompute")
    if found.joulemark_version != joulemark.__version__ and isinstance(stated, dict):
        ours = known_to(stated, ours)
    claimed = {"stated": stated, "tier": content.manifest.measurement_tier}
    derived = {"stated": ours, "tier": summary.measurement_tier}
    apart = tuple(
        Difference(place.removeprefix("stated."), one, other)
        for place, one, other in differences(claimed, derived)
    )
    if apart:
        why = f"{len(apart)} of what it states does not follow from its evidence, first {apart[0].place}"
        findings = [*findings, Finding("figures", why)]
    found = replace(found, summary=summary, view=view, differences=apart)
    return _closed(found, findings, reached="figures")


def _closed(found: Verification, findings: list[Finding], *, reached: str) -> Verification:
    """Return the verification with what passed of the checks up to ``reached``."""
    failed = {finding.check for finding in findings}
    done = CHECKS[: CHECKS.index(reached) + 1]
    ordered = sorted(findings, key=lambda one: CHECKS.index(one.check))
    return replace(found, passed=tuple(one for one in done if one not in failed), findings=tuple(ordered))


def _head(members: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Return the document that names the members. Raises `NotABundle` or `Refusal`."""
    try:
        head = parse(members[m.BUNDLE])
    except _MALFORMED as error:
        raise Refusal("schema", f"{m.BUNDLE}: {_short(error)}") from error
    if not isinstance(head, dict) or head.get("format") != m.FORMAT:
        raise NotABundle(f"its {m.BUNDLE} is of another format")
    if head.get("schema_version") != m.SCHEMA_VERSION:
        raise NotABundle(
            f"its schema version is {str(head.get('schema_version'))[:20]!r}, not {m.SCHEMA_VERSION!r}"
        )
    if head.keys() != {"format", "schema_version", "licence", "public_key", "members"}:
        raise Refusal("schema", f"{m.BUNDLE} has other fields than a bundle's")
    if head["licence"] != m.LICENCE:
        raise Refusal("schema", f"its licence is not {m.LICENCE}")
    listed = head["members"]
    if not isinstance(listed, dict) or listed.keys() != set(m.SIGNED):
        raise Refusal("schema", f"{m.BUNDLE} does not list the members")
    return head


def _hashes(head: Mapping[str, Any], members: Mapping[str, bytes]) -> list[Finding]:
    wrong = [
        name
        for name in m.SIGNED
        if head["members"][name]
        != {"bytes": len(members[name]), "sha256": hashlib.sha256(members[name]).hexdigest()}
    ]
    return [Finding("hashes", f"{', '.join(wrong)}: not what {m.BUNDLE} says")] if wrong else []


def _signer(head: Mapping[str, Any], members: Mapping[str, bytes]) -> tuple[str | None, str | None]:
    """Return the signer's public key, or why there is none."""
    try:
        signature = parse(members[m.SIGNATURE])
    except _MALFORMED:
        return None, f"{m.SIGNATURE} cannot be read"
    if not isinstance(signature, dict) or signature.keys() != {"algorithm", "public_key", "signature"}:
        return None, f"{m.SIGNATURE} has other fields than a signature's"
    public, signed = signature["public_key"], signature["signature"]
    if signature["algorithm"] != ALGORITHM or not (isinstance(public, str) and isinstance(signed, str)):
        return None, "it is signed in another way than bundles are"
    if not (_HEX_32.fullmatch(public) and _HEX_64.fullmatch(signed)):
        return None, "key or signature have another form than theirs"
    if public != head["public_key"]:
        return None, f"it is signed by another key than the one in {m.BUNDLE}"
    if not is_signed("bundle", members[m.BUNDLE], public, signed):
        return None, "the signature is not that of its key"
    return public, None


def _content(members: Mapping[str, bytes]) -> tuple[Content, Software, Any]:
    """Return the run of a bundle, what packed it, and the figures that it states. Raises `Refusal`.

    The schema is what the packer lets through: whatever is packed again must have the same bytes.
    """
    names = (m.RUN, m.ENVIRONMENT, m.QUALIFICATION, m.BASELINES, m.FIGURES)
    found = {name: _read(name, parse, members[name]) for name in names}
    manifest, software = _read(m.RUN, manifest_of, found)
    starts = starts_of(manifest)
    if len(starts) < len(manifest.segments):
        raise Refusal("schema", "a segment stands twice")
    items = _lines(members, m.ITEMS, m.MAX_ITEMS)
    rows = tuple(_read(f"{m.ITEMS}, line {n}", row_of, line, starts) for n, line in enumerate(items, 1))
    told = _lines(members, m.TELEMETRY, m.MAX_SAMPLES)
    readings = tuple(
        _read(f"{m.TELEMETRY}, line {n}", reading_of, line, starts) for n, line in enumerate(told, 1)
    )
    words = Vocabulary()
    again = _read(m.RUN, lambda: cleaned(manifest, rows, readings, words))
    repacked = _read(m.RUN, lambda: members_of(again, found[m.FIGURES], software))
    for name in m.SIGNED:
        if repacked[name] != members[name]:
            raise Refusal("schema", _where(name, members[name], repacked[name]))
    for name, document in found.items():
        place, what = next(denied(document), ("", ""))
        if what:
            raise Refusal("schema", f"{name} holds {what} at {place[:80]}")
    version, digest = software.joulemark_version, software.source_hash
    if words.version(version) is None or not _HEX_32.fullmatch(digest):
        raise Refusal("schema", f"{m.ENVIRONMENT} does not say which program packed it")
    if not all(
        re.fullmatch(r"[a-z]{2,20}", name) and words.version(one) for name, one in software.packages.items()
    ):
        raise Refusal("schema", f"{m.ENVIRONMENT} names packages otherwise than a packer does")
    return again, software, found[m.FIGURES]


def _lines(members: Mapping[str, bytes], name: str, most: int) -> list[bytes]:
    data = members[name]
    if data.count(b"\n") > most:
        raise Refusal("limits", f"{name} has more than {most:,} lines")
    if data and not data.endswith(b"\n"):
        raise Refusal("schema", f"the last line of {name} is torn")
    return data.split(b"\n")[:-1]


def _read(name: str, read: Callable[..., T], *given: Any) -> T:
    try:
        return read(*given)
    except _MALFORMED as error:
        raise Refusal("schema", f"{name}: {_short(error)}") from error


def _where(name: str, given: bytes, again: bytes) -> str:
    """Say where a member is not as a packer writes it, without echoing what stands there."""
    theirs, ours = given.split(b"\n"), again.split(b"\n")
    for number, (one, other) in enumerate(zip(theirs, ours, strict=False), 1):
        if one == other:
            continue
        line = f", line {number}" if name.endswith(".jsonl") else ""
        try:
            place = next(differences(parse(one), parse(other)), ("", None, None))[0]
        except _MALFORMED:
            place = ""
        return f"{name}{line}{f' at {place[:80]}' if place else ''} is not as a packer writes it"
    return f"{name} has other lines than a packer writes"


def _short(error: BaseException) -> str:
    told = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "".join(c for c in told if c.isprintable())[:160]
