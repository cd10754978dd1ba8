"""Bundles as somebody would make them who wants a figure, a crash or a way out of the archive.

Each case has the check that has to fail, ``none`` for what is no bundle, ``verified`` for a forgery that
is consistent in itself: that one is for whoever knows the device and the task, and no bundle can tell it.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import write_archive
from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.content import Content
from joulemark.bundles.submission.pack import Packed, pack_content
from joulemark.bundles.submission.signed_members import sign_members
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.vocabulary import Vocabulary
from joulemark.record.item import ItemRow, Verdict

NONE, VERIFIED = "none", "verified"
WORDS = Vocabulary(b"salt" * 8)
Edit = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A hostile bundle and what has to come of it."""

    name: str
    data: bytes
    expected: str


@dataclass(frozen=True, slots=True)
class Forger:
    """Has an honest bundle, its content, and a key of its own."""

    packed: Packed
    content: Content
    key: SigningKey

    def document(self, name: str, edit: Edit) -> bytes:
        """Edit a JSON member, then hash and sign everything anew."""
        found = orjson.loads(self.packed.members[name])
        edit(found)
        return self.resigned({name: canonical(found)})

    def line(self, name: str, number: int, edit: Callable[[Any], Any]) -> bytes:
        """Edit a line, then hash and sign everything anew; an edit may return several lines."""
        lines = self.packed.members[name].split(b"\n")[:-1]
        found = orjson.loads(lines[number])
        made = edit(found)
        lines[number] = (
            b"\n".join(map(canonical, made)) if isinstance(made, tuple) else canonical(made or found)
        )
        return self.resigned({name: b"\n".join(lines) + b"\n"})

    def every(self, name: str, edit: Edit) -> bytes:
        """Edit every line alike, then hash and sign everything anew."""
        lines = [orjson.loads(line) for line in self.packed.members[name].split(b"\n")[:-1]]
        for one in lines:
            edit(one)
        return self.resigned({name: b"".join(canonical(one) + b"\n" for one in lines)})

    def resigned(self, changed: dict[str, bytes]) -> bytes:
        """Replace members, then hash and sign everything anew."""
        members = {name: self.packed.members[name] for name in m.SIGNED} | changed
        return write_archive(sign_members(members, self.key))

    def stale(self, changed: dict[str, bytes]) -> bytes:
        """Replace members and leave hashes and signature as they were."""
        return write_archive({**self.packed.members, **changed})

    def restated(self, content: Content) -> bytes:
        """A forgery that is consistent in itself: all figures follow from the made-up evidence."""
        return pack_content(content, self.key, WORDS).data

    def zipped(
        self, put: Callable[[zipfile.ZipFile], None], members: dict[str, bytes] | None = None
    ) -> bytes:
        """Write the members by hand, with ``put`` adding what does not belong there."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in (self.packed.members if members is None else members).items():
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            put(archive)
        return buffer.getvalue()


def cases(forger: Forger, *, only_forgeries: bool = False) -> Iterator[Case]:
    """Yield every case, or those that follow the format and lie about what was measured."""
    if only_forgeries:
        yield from _forgeries(forger)
        return
    yield from _archives(forger)
    yield from _signatures(forger)
    yield from _documents(forger)
    yield from _rows(forger)
    yield from _forgeries(forger)


def _archives(forger: Forger) -> Iterator[Case]:
    data, members = forger.packed.data, dict(forger.packed.members)
    nothing: Callable[[zipfile.ZipFile], None] = lambda archive: None  # noqa: E731
    yield Case("empty file", b"", NONE)
    yield Case("not a zip", b"a letter to the editor" * 50, NONE)
    yield Case("truncated", data[: len(data) // 2], NONE)
    yield Case("truncated at the end", data[:-3], NONE)
    yield Case("zip of something else", forger.zipped(nothing, {"readme.txt": b"hello"}), NONE)
    yield Case("too large", data + b"\0" * m.MAX_PACKED, "limits")
    bomb = {**members, m.ITEMS: b"\n" * (m.MAX_UNPACKED + 1)}
    yield Case("zip bomb", forger.zipped(nothing, bomb), "limits")
    yield Case("dense member", forger.zipped(nothing, {**members, m.TELEMETRY: b" " * 2_000_000}), "limits")
    yield Case("huge document", forger.zipped(nothing, {**members, m.RUN: _noise(3_000_000)}), "limits")
    yield Case("extra member", forger.zipped(lambda z: z.writestr("notes.txt", "hi")), "structure")
    yield Case("nested zip", forger.zipped(lambda z: z.writestr("inner.zip", data)), "structure")
    yield Case("path upwards", forger.zipped(lambda z: z.writestr("../../run.json", "{}")), "structure")
    yield Case(
        "absolute path", forger.zipped(lambda z: z.writestr("/etc/cron.d/x", "* * * * *")), "structure"
    )
    yield Case("drive letter", forger.zipped(lambda z: z.writestr("C:\\run.json", "{}")), "structure")
    yield Case("folder", forger.zipped(lambda z: z.writestr("run.json/", "")), "structure")
    yield Case(
        "thousand members",
        forger.zipped(lambda z: [z.writestr(f"{k}", "") for k in range(1000)] and None),
        "structure",
    )
    yield Case(
        "duplicate member",
        _quietly(lambda: forger.zipped(lambda z: z.writestr(m.RUN, members[m.RUN]))),
        "structure",
    )
    yield Case(
        "missing member",
        forger.zipped(nothing, {k: v for k, v in members.items() if k != m.ITEMS}),
        "structure",
    )
    yield Case("link", _as_link(forger, members), "structure")
    yield Case("comment", forger.zipped(lambda z: setattr(z, "comment", b"hi")), "structure")
    yield Case("bytes before", b"#!/bin/sh\n" + data, "structure")
    yield Case("bytes between", _bytes_between(data), "structure")
    yield Case("encrypted", _flagged(data), "structure")
    yield Case("overlapping members", _overlapping(data), "structure")
    yield Case("name that is no text", data.replace(b"items.jsonl", b"it\xffms.jsonl"), "structure")
    yield Case("another name inside", data.replace(b"items.jsonl", b"../../x.jsn", 1), NONE)
    yield Case("flipped bit in a member", _flipped(data), NONE)


def _signatures(forger: Forger) -> Iterator[Case]:
    members = forger.packed.members
    other = SigningKey.new()
    signature = orjson.loads(members[m.SIGNATURE])
    swapped = {**signature, "public_key": other.public}
    yield Case("key swapped in the signature", forger.stale({m.SIGNATURE: canonical(swapped)}), "signature")
    foreign = {**swapped, "signature": other.sign("bundle", members[m.BUNDLE])}
    yield Case("signed by another key", forger.stale({m.SIGNATURE: canonical(foreign)}), "signature")
    wrong = {**signature, "signature": "0" * 128}
    yield Case("wrong signature", forger.stale({m.SIGNATURE: canonical(wrong)}), "signature")
    kind = {**signature, "signature": forger.key.sign("withdrawal", members[m.BUNDLE])}
    yield Case("signature of another kind", forger.stale({m.SIGNATURE: canonical(kind)}), "signature")
    none = {**signature, "algorithm": "none"}
    yield Case("algorithm none", forger.stale({m.SIGNATURE: canonical(none)}), "signature")
    yield Case("signature is no JSON", forger.stale({m.SIGNATURE: b"\xff\xfe"}), "signature")
    yield Case(
        "short key", forger.stale({m.SIGNATURE: canonical({**signature, "public_key": "ab"})}), "signature"
    )
    head = orjson.loads(members[m.BUNDLE])
    head["public_key"] = other.public
    yield Case("key swapped in the bundle", forger.stale({m.BUNDLE: canonical(head)}), "signature")
    figures = orjson.loads(members[m.FIGURES])
    figures["duration_s"] = 1
    yield Case("edited after signing", forger.stale({m.FIGURES: canonical(figures)}), "hashes")
    head = orjson.loads(members[m.BUNDLE])
    yield Case("another version", forger.stale({m.BUNDLE: canonical({**head, "schema_version": "2"})}), NONE)
    yield Case("another format", forger.stale({m.BUNDLE: canonical({**head, "format": "x"})}), NONE)
    yield Case("another licence", forger.stale({m.BUNDLE: canonical({**head, "licence": "mine"})}), "schema")
    yield Case("a field more", forger.stale({m.BUNDLE: canonical({**head, "note": "hi"})}), "schema")
    yield Case(
        "bundle with spaces",
        forger.stale({m.BUNDLE: orjson.dumps(head, option=orjson.OPT_INDENT_2)}),
        "schema",
    )


def _documents(forger: Forger) -> Iterator[Case]:
    run = orjson.loads(forger.packed.members[m.RUN])

    def raw(name: str, data: bytes, member: str = m.RUN) -> Case:
        assert data != forger.packed.members[member], name
        return Case(name, forger.resigned({member: data}), "schema")

    yield raw("deep JSON", b"[" * 5_000 + b"]" * 5_000)
    yield raw("seven deep", canonical({**run, "limits_s": [[[[[[[]]]]]]]}))
    yield raw("no object", b"[]")
    yield raw("null", b"null")
    yield raw("NaN", canonical(run).replace(b'"n_items":16', b'"n_items":NaN'))
    yield raw("infinity", canonical(run).replace(b'"n_items":16', b'"n_items":1e999'))
    yield raw("huge whole number", canonical(run).replace(b'"n_items":16', b'"n_items":' + b"9" * 400))
    yield raw("number spelled otherwise", canonical(run).replace(b'"n_items":16', b'"n_items":1.6e1'))
    yield raw("key twice", canonical(run).replace(b'"n_items":16', b'"n_items":16,"n_items":16'))
    yield raw("not UTF-8", canonical(run).replace(b"SmolLM2", b"Sm\xff\xfeM2"))
    yield raw("byte order mark", b"\xef\xbb\xbf" + canonical(run))
    yield raw("lone surrogate", canonical(run).replace(b"SmolLM2", b"\\ud800LM2"))

    def edited(name: str, edit: Edit, member: str = m.RUN, expected: str = "schema") -> Case:
        return Case(name, forger.document(member, edit), expected)

    yield edited("HTML in the model", lambda d: d["engine"].update(model="<script>alert(1)</script>"))
    yield edited("SQL in the model", lambda d: d["engine"].update(model="x'; DROP TABLE runs;--"))
    yield edited("path in the model", lambda d: d["engine"].update(model="/home/alice/secret.gguf"))
    yield edited(
        "endless model", lambda d: d["engine"].update(model=_noise(100_000).hex().replace("a", "/") + ".x")
    )
    yield edited(
        "endless scope",
        lambda d: d.update(scope="".join(c for c in _noise(90_000).hex() if c.isalpha()) + "!"),
        m.BASELINES,
    )
    yield edited("address in a flag", lambda d: d["engine"]["flags"].update(devices="http://10.0.0.7/"))
    yield edited("unknown field", lambda d: d.update(comment="hello"))
    yield edited("notes", lambda d: d.update(notes=["call me"]))
    yield edited("stamp as a number", lambda d: d["segments"][0].update(t0=5))
    yield edited("stamp too large", lambda d: d["segments"][0].update(t0="9" * 30), expected="recompute")
    yield edited("segment twice", lambda d: d["segments"].append(d["segments"][0]))
    yield edited("window of no segment", lambda d: d["windows"][0].update(segment=7))
    yield edited("window without an end", lambda d: d["windows"][0].update(t1=-1), expected="recompute")
    yield edited("windows overlap", lambda d: d["windows"].append(d["windows"][0]), expected="recompute")
    yield edited("meter twice", lambda d: d["meters"].append(d["meters"][0]), m.QUALIFICATION, "recompute")
    yield edited(
        "meter of another scope", lambda d: d["meters"][0].update(scope="wall"), m.QUALIFICATION, "recompute"
    )
    yield edited("word for a number", lambda d: d.update(repeats="one"))
    yield edited("true for a number", lambda d: d.update(repeats=True))
    yield edited("host name", lambda d: d["host"].update(cpu_model="alice-box.lan"), m.ENVIRONMENT)
    yield edited("source hash is none", lambda d: d["software"].update(source_hash="x"), m.ENVIRONMENT)
    yield edited("package with a path", lambda d: d["software"]["packages"].update(numpy="/x"), m.ENVIRONMENT)
    yield edited("claimed tier", lambda d: d.update(measurement_tier="A"), expected="figures")
    yield edited("another price", lambda d: d["rates"].update(usd_per_kwh=0.01), expected="figures")
    yield edited("impossible price", lambda d: d["rates"].update(usd_per_kwh=1e12), expected="recompute")
    yield edited(
        "shorter window",
        lambda d: d["windows"][0].update(t1=d["windows"][0]["t1"] - 4 * 10**9),
        expected="figures",
    )

    def lower(figures: Any) -> None:
        figures["figures"]["joules_per_correct_answer"]["value"] *= 0.5

    yield edited("forged joules per correct answer", lower, m.FIGURES, "figures")
    yield edited(
        "forged accuracy", lambda d: d["figures"]["accuracy"].update(value=0.99), m.FIGURES, "figures"
    )
    yield edited("figure left out", lambda d: d["figures"].pop("total_joules"), m.FIGURES, "figures")
    yield edited("figure added", lambda d: d["figures"].update(best={"value": 1}), m.FIGURES, "figures")
    yield edited("figures with words", lambda d: d.update(x="mail bob@example.com"), m.FIGURES)
    yield edited("figures are a list", lambda d: d.update(figures=[]), m.FIGURES, "figures")


def _rows(forger: Forger) -> Iterator[Case]:
    second = 10**9

    def item(name: str, edit: Callable[[Any], Any], expected: str, number: int = 3) -> Case:
        return Case(name, forger.line(m.ITEMS, number, edit), expected)

    def put(**fields: Any) -> Callable[[Any], Any]:
        return lambda line: {**line, **fields}

    yield item("duplicate answer", lambda one: (one, one), "ids")
    yield item("answer for two questions", put(item_id="q000001"), "schema")
    yield item("words in an answer", put(answer="42"), "schema")
    yield item("words as a rule", put(rule="because I say so"), "schema")
    yield item("HTML as a reason", put(finish_reason="<img src=x>"), "schema")
    yield item("commitment is none", put(answer_commitment="trust me"), "schema")
    yield item("no segment", put(segment=9), "schema")
    yield item("negative place", put(index=-1), "ids")
    yield item("negative tokens", put(completion_tokens=-5), "ids")
    yield item("too many tokens", put(prompt_tokens=10**15), "ids")
    yield item("end before beginning", put(t_end=0), "stamps")
    yield item("first token before sending", put(t_first=1), "stamps")
    yield item("outside the segment", put(t_end=10**15), "stamps")
    yield item("attempt outside", put(attempts=[{"t_sent": 0, "t_end": 1}]), "overlap")
    late = [{"t_sent": 60 * second, "t_end": 70 * second}]
    yield item("attempt after the end", put(attempts=late), "stamps")
    yield item("attempt of another shape", put(attempts=[7]), "schema")
    yield item("pieces backwards", put(chunks=[[-second, 1, False]]), "stamps")
    yield item("pieces of another shape", put(chunks=[{"t": 1}]), "schema")
    yield item("overlapping answers", lambda one: {**one, "t_end": one["t_end"] + 4 * second}, "overlap")
    yield item(
        "not in order",
        lambda one: (
            {k: v for k, v in one.items() if k not in ("chunks", "attempts")}
            | {"t_sent": one["t_sent"] - 9 * second}
        ),
        "stamps",
    )
    yield item("verdict without its score", put(verdict="correct", correct=True), "verdicts", 1)
    yield item("correct and wrong", put(correct=True), "verdicts", 1)
    yield item("no such verdict", put(verdict="brilliant"), "schema")
    yield item("score of two", put(score=2), "verdicts", 0)
    yield Case(
        "verdicts edited, commitments stale",
        forger.every(m.ITEMS, lambda one: one.update(verdict="correct", correct=True, score=1)),
        "figures",
    )
    yield Case("torn line", forger.resigned({m.ITEMS: forger.packed.members[m.ITEMS][:-9]}), "schema")
    yield Case("empty line", forger.resigned({m.ITEMS: forger.packed.members[m.ITEMS] + b"\n"}), "schema")
    yield Case("no answers", forger.resigned({m.ITEMS: b""}), "ids")
    yield Case("line that is a number", forger.resigned({m.ITEMS: b"7\n"}), "schema")
    yield Case("too many lines", forger.resigned({m.ITEMS: _lines(m.MAX_ITEMS + 1)}), "limits")

    def reading(name: str, edit: Callable[[Any], Any], expected: str, number: int = 50) -> Case:
        return Case(name, forger.line(m.TELEMETRY, number, edit), expected)

    yield reading("reading of another meter", lambda r: [r[0], "nvml:7", *r[2:]], "schema")
    yield reading("reading with an address", lambda r: [r[0], "http://10.0.0.1", *r[2:]], "schema")
    yield reading("reading of no quantity", lambda r: [*r[:4], {"wishes": 3}, r[5]], "schema")
    yield reading("reading of another length", lambda r: r[:4], "schema")
    yield reading("reading with words", lambda r: [*r[:4], {"power_w": "many"}, r[5]], "schema")
    yield reading("reading with true", lambda r: [*r[:4], {"power_w": True}, r[5]], "schema")
    yield reading("reading with a free flag", lambda r: [*r[:5], ["ask bob"]], "schema")
    yield reading("reading backwards", lambda r: [*r[:2], r[2] - 30 * second, *r[3:]], "schema")
    yield reading("reading of another day", lambda r: [*r[:2], 10**15, *r[3:]], "schema")
    yield reading("reading that took a year", lambda r: [*r[:3], 10**15, *r[4:]], "stamps")
    yield Case("no telemetry", forger.resigned({m.TELEMETRY: b""}), "figures")


def _forgeries(forger: Forger) -> Iterator[Case]:
    content = forger.content

    def scaled(one: Any) -> None:
        one[4] = {name: value * (0.5 if name.endswith(("_j", "_w")) else 1) for name, value in one[4].items()}

    yield Case("energy scaled", forger.every(m.TELEMETRY, scaled), "figures")

    def shifted(one: Any) -> None:
        one[2] += 1_500_000_000

    yield Case("stamps of the meter shifted", forger.every(m.TELEMETRY, shifted), "figures")

    def later(one: Any) -> None:
        for name in ("t_sent", "t_end", "t_first", "t_first_answer"):
            one[name] += 1_500_000_000
        for attempt in one["attempts"]:
            attempt["t_sent"] += 1_500_000_000
            attempt["t_end"] += 1_500_000_000

    yield Case("stamps of the answers shifted", forger.every(m.ITEMS, later), "figures")
    half = tuple(
        replace(one, values={n: v / 2 if n.endswith(("_j", "_w")) else v for n, v in one.values.items()})
        for one in content.readings
    )
    yield Case("energy scaled, figures restated", forger.restated(replace(content, readings=half)), VERIFIED)
    right = tuple(
        ItemRow(replace(row.item, verdict=Verdict.CORRECT, correct=True, score=1.0), row.chunks)
        for row in content.rows
    )
    yield Case("verdicts edited, figures restated", forger.restated(replace(content, rows=right)), VERIFIED)
    yield Case(
        "signed by whoever",
        write_archive(sign_members({n: forger.packed.members[n] for n in m.SIGNED}, SigningKey.new())),
        VERIFIED,
    )


def _noise(n: int) -> bytes:
    return b"".join(zlib.crc32(str(k).encode()).to_bytes(4, "big") for k in range(n // 4))


def _lines(n: int) -> bytes:
    return b"".join(json.dumps([zlib.crc32(str(k).encode())]).encode() + b"\n" for k in range(n))


def _quietly(make: Callable[[], bytes]) -> bytes:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of names that stand twice
        return make()


def _as_link(forger: Forger, members: dict[str, bytes]) -> bytes:
    def put(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo(m.ITEMS, (1980, 1, 1, 0, 0, 0))
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")

    return forger.zipped(put, {name: data for name, data in members.items() if name != m.ITEMS})


def _directory(data: bytes) -> int:
    return struct.unpack("<I", data[-6:-2])[0]


def _bytes_between(data: bytes) -> bytes:
    at = _directory(data)
    return data[:at] + b"hidden" + data[at:-6] + struct.pack("<I", at + 6) + data[-2:]


def _flagged(data: bytes) -> bytes:
    at = _directory(data)
    return data[: at + 8] + b"\x01\x00" + data[at + 10 :]


def _overlapping(data: bytes) -> bytes:
    """Let the second member's entry point at the first member's bytes."""
    at = data.index(b"PK\x01\x02", _directory(data) + 4)
    return data[: at + 42] + struct.pack("<I", 0) + data[at + 46 :]


def _flipped(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
