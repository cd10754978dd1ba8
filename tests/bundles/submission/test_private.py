"""Nothing that names a person, a machine or a place leaves, whatever field it was put into."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from doubles import submitted_runs
from doubles.submitted_runs import SECRET
from joulemark.bundles.submission.content import cleaned
from joulemark.bundles.submission.pack import Packed, pack
from joulemark.bundles.submission.private import denied, identities_here, leaks
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.verify import verify
from joulemark.bundles.submission.vocabulary import Vocabulary
from joulemark.metrics.catalogue import definitions
from joulemark.record.item import Attempt, Item, ItemRow, LocalTexts, Verdict
from joulemark.record.manifest import Load, Manifest, Sampling, SilentMeter, StopFacts, WallFit
from joulemark.record.meter import Qualification
from joulemark.record.telemetry import Reading
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.telemetry.journal import encode_reading

IDENTITIES = frozenset({"zq7host", "zq7user"})
WORDS = Vocabulary(b"s" * 32, IDENTITIES)
# what is planted, and what of it must be nowhere
PLANTED = {
    "/home/zq7alice/models/m.gguf": "zq7alice",
    "~zq7alice/m": "zq7alice",
    "C:\\Users\\zq7alice\\m.gguf": "zq7alice",
    "models/zq7alice/m.gguf": "zq7alice",
    "zq7nas.lan": "zq7nas",
    "https://zq7nas.example.org:8123/api": "zq7nas",
    "ssh://zq7alice@zq7nas": "zq7",
    "AA:BB:CC:0D:EE:0F": "AA:BB:CC:0D:EE:0F",
    "aa-bb-cc-0d-ee-0f": "aa-bb-cc-0d-ee-0f",
    "4c4c4544-0051-3510-8052-b9c04f4e3332": "4c4c4544-0051",
    "GPU-1b2c3d4e-aaaa": "1b2c3d4e",
    "192.168.17.23": "192.168.17.23",
    "fe80::1ff:fe23:4567:890a": "fe23:4567",
    "sensor.zq7kitchen_power": "zq7kitchen",
    "zq7alice@example.org": "zq7alice",
    "S/N 5TRG7734": "5TRG7734",
    "hf_zq7abcdefghijklmnop": "zq7abcdef",
    "ran by zq7user": "zq7user",
    "zq7host": "zq7host",
    "zq7user/llama": "zq7user",
    "a sentence of zq7note, without a pattern": "zq7note",
    "<b>zq7bold</b>": "zq7bold",
    "zq7\u202etfel": "zq7",
    "Frage: was heißt zq7?": "zq7",
}
_CLOSED = frozenset({"state", "mode", "end", "arrival", "measurement_tier", "trust", "schema_version"})


def _planted(value: Any, secret: str, at: str = "") -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield the place of every text of a document."""
    if isinstance(value, dict):
        for key, one in value.items():
            for place, name in _planted(one, secret, key):
                yield (key, *place), name
    elif isinstance(value, list):
        for number, one in enumerate(value):
            for place, name in _planted(one, secret, at):
                yield (number, *place), name
    elif isinstance(value, str) and at not in _CLOSED:
        yield (), at


def planted_manifest(secret: str) -> Manifest:
    """A manifest with the secret in every text that takes one, in lists of words, and as keys."""
    made = submitted_runs.described(8)
    made.notes = [secret]
    made.standing = made.suite = secret
    made.silent_meters = [SilentMeter(segment=0, name=secret, why=secret)]
    made.meters_requested = [secret, f"shelly:{secret}"]
    made.headline_scope = [secret]
    made.stop = StopFacts(targets=[secret], least=1, every=1, told=[secret])
    made.engine.flags = {
        "n_ctx": 4096,
        "devices": secret,
        "launch": secret,
        "quantization": secret,
        secret: 1,
    }
    made.engine.endpoint_hash = secret
    made.devices[0].other_processes = [secret]
    made.load.trace = secret
    made.rates.grid_source = made.rates.embodied_source = made.rates.token_price_source = secret
    made.reasons = {secret: secret, "measurement_tier": secret}
    made.limits_s = {secret: 1.0}
    made.task.nonce = made.task.items_hash = made.task.budget_hash = made.task.subset_key = secret
    made.host.virtualization = made.host.governor = secret
    for meter in made.meters:
        meter.source = replace(meter.source, device_id=secret, notes=(secret,))
        meter.qualification = replace(meter.qualification, reason=secret)
    made.baselines.reasons = {secret: secret, "wall_fit": f"no_baseline: {secret}"}
    document = made.model_dump(mode="json")
    for place, name in list(_planted(document, secret)):
        *way, last = place
        parent = document
        for step in way:
            parent = parent[step]
        before = parent[last]
        # names of meters stay apart from each other, as they have to
        parent[last] = f"{secret} {before}" if name == "name" and "source" in place else secret
        try:
            Manifest.model_validate(document)
        except ValidationError:
            parent[last] = before
        if name == "scope" or "windows" in place:
            parent[last] = before
    return Manifest.model_validate(document)


def planted_item(item: Item, secret: str, number: int) -> Item:
    """An answer with the secret in every text that it has; two stay different."""
    texts = dict.fromkeys(("token_source", "finish_reason", "rule", "answer_commitment", "session"), secret)
    return replace(
        item,
        **texts,  # type: ignore[arg-type]
        item_id=f"{secret} {number}",
        attempts=tuple(replace(one, error=secret) for one in item.attempts[:0]) or item.attempts,
        suspect=(secret, f"{secret} tokens"),
        reasons={secret: secret, "t_scheduled": secret},
    )


def planted_run(root: Path, secret: str) -> Path:
    """A run directory that is full of the secret."""
    layout = RunLayout(root)
    layout.create()
    manifest = planted_manifest(secret)
    layout.write_manifest(manifest)
    journal = ItemJournal(layout.items_journal)
    for number, row in enumerate(submitted_runs.answers(8)):
        words = LocalTexts(secret, secret, secret, secret, secret, (secret,))
        journal.append(ItemRow(planted_item(row.item, secret, number), row.chunks, words))
    failed = replace(
        submitted_runs.answers(9)[8].item, verdict=Verdict.FAILED, correct=False, score=None, item_id=secret
    )
    failed = replace(failed, attempts=tuple(replace(one, error=secret) for one in failed.attempts))
    journal.append(ItemRow(failed))
    journal.close()
    board, plug = (meter.source.name for meter in manifest.meters)
    told = list(submitted_runs.readings(9, board=board, plug=plug))
    told[5] = replace(told[5], flags=(secret, f"lost:{secret}", f"power_w:{secret}", f"{secret}:x"))
    told[6] = replace(told[6], scope=secret, values={**told[6].values, secret: 1.0})
    told.append(Reading(0, told[-1].t_ns, secret, secret, {"power_w": 1.0}))
    layout.telemetry_journal.write_bytes(b"".join(map(encode_reading, told)))
    return root


def everything(packed: Packed) -> str:
    """All that a bundle says: its raw bytes, its members unpacked, and the texts within their JSON."""
    found = [packed.data.decode("latin-1")]
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            found.append(data.decode())
            for line in data.splitlines() if name.endswith(".jsonl") else [data]:
                found.extend(_texts(orjson.loads(line)))
    return "\n".join(found).lower()


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("secret", PLANTED)
def test_nothing_planted_anywhere_leaves(tmp_path: Path, key: SigningKey, secret: str) -> None:
    root = planted_run(tmp_path / "run", secret)
    assert (root / "manifest.json").read_bytes().count(orjson.dumps(secret)[1:-1]) >= 40  # it is full of it

    packed = pack(root, key=key, words=WORDS)

    said = everything(packed)
    assert PLANTED[secret].lower() not in said
    assert verify(packed.data).verified


def test_completions_never_leave(packed: Packed, root: Path) -> None:
    assert SECRET.encode() in (root / "items.jsonl").read_bytes()
    said = everything(packed)
    assert SECRET.lower() not in said
    assert "zq7-completion" not in said


def test_what_leaves_names_nothing_of_this_machine(packed: Packed) -> None:
    for line in packed.members.values():
        for one in line.splitlines():
            assert list(denied(orjson.loads(one), identities_here())) == []


_BY_FORM = [one for one in PLANTED if "a sentence" not in one and "Frage" not in one]


@pytest.mark.parametrize("secret", _BY_FORM)
def test_the_second_wall_finds_it_alone(secret: str) -> None:
    assert leaks(secret, IDENTITIES) or secret == "models/zq7alice/m.gguf"
    if leaks(secret, IDENTITIES):
        assert list(denied({"deep": [{"inside": secret}]}, IDENTITIES)) != []
        assert list(denied({secret: 1}, IDENTITIES)) != []


@pytest.mark.parametrize(
    "name", ["gpu_uuid", "serial", "mac", "hostname", "entity_id", "password", "answer", "texts"]
)
def test_fields_of_such_names_are_denied(name: str) -> None:
    assert list(denied({"inside": {name: 1}}))


def test_no_figure_has_the_name_of_a_denied_field() -> None:
    assert list(denied({one.name: 1.0 for one in definitions()})) == []


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA GeForce RTX 3090",
        "AMD EPYC 7B13 64-Core Processor",
        "qwen2.5:7b-instruct-q4_K_M",
        "580.126.09",
        "hub:openai/gsm8k@e53f048856ff4f594e959d75785d2c2d37b678ee",
        "wall/psu/psys/package:0/core",
        "nvml:0",
        "xllamacpp 2026.10.11549",
        "2026-11-29T20:15:00+00:00",
        "wall/psu/gpu:0000:01:00.0",
        "rapl:package-0",
        "joules_per_correct_answer ±5%",
        "Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz",
        "31.0.15.5176",
    ],
)
def test_names_of_things_are_no_leak(text: str) -> None:
    assert leaks(text, identities_here()) is None


def test_what_was_let_through_once_is_let_through_as_it_is(packed: Packed, forger: Any) -> None:
    content = forger.content
    again = cleaned(content.manifest, content.rows, content.readings, Vocabulary())
    assert again == content


@given(st.text(max_size=40))
def test_any_text_is_let_through_the_same_way_twice(text: str) -> None:
    for let in (WORDS.model, WORDS.version, WORDS.quantization, WORDS.product, WORDS.digest, WORDS.instant):
        once = let(text)
        assert once is None or let(once) == once
        assert once is None or leaks(once, IDENTITIES) is None


def test_every_field_of_an_answer_is_thought_of() -> None:
    """A new field leaves only after somebody has said what may stand in it."""
    known = """
        item_id index repeat segment phase t_sent t_end t_scheduled t_first t_first_answer session turn
        prompt_tokens cached_tokens reasoning_tokens completion_tokens token_source media_units finish_reason
        streamed attempts verdict correct score rule span answer_commitment engine_load_ns engine_prefill_ns
        engine_decode_ns suspect reasons
    """
    assert {one.name for one in fields(Item)} == set(known.split())


# what is passed on whole, and holds no words
WHOLE = {
    Sampling: "temperature top_p seed max_tokens",
    Load: "mode concurrency arrival rate burstiness seed trace trace_speed ramp_s n_requests lead_requests",
    WallFit: "terms coefficients covariance residual_sd_w n_points lowest_w highest_w wall_source"
    " measured_utc",
}


@pytest.mark.parametrize("part", WHOLE)
def test_every_field_of_what_is_passed_on_whole_is_thought_of(part: type[BaseModel]) -> None:
    assert set(part.model_fields) == set(WHOLE[part].split())


def test_so_is_every_field_of_a_meters_test_and_of_an_attempt() -> None:
    tested = (
        "trust reason update_period_s update_period_max_s counter_over_power mean_power_w duration_s reads"
    )
    assert {one.name for one in fields(Qualification)} == {*tested.split(), "poll_period_s"}
    assert {one.name for one in fields(Attempt)} == {"t_sent", "t_end", "error", "tokens"}
