"""Forgeries that are consistent in themselves: they verify, and what a board makes of each is told here.

``accepted`` is what nothing can tell without a challenge, a meter of one's own, or more runs of others: such
a row never gets above `Rung.RECOMPUTED`, and ``why`` says what would tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from doubles.board_runs import Rig, content_of
from doubles.run_views import T0, S
from joulemark.bundles.submission.content import Content
from joulemark.record.item import Chunk, Item, ItemRow, Verdict
from joulemark.record.manifest import Meter
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading

ACCEPTED = "accepted"
H100 = Rig()
RTX_4090 = Rig(
    device="NVIDIA GeForce RTX 4090",
    vram_mib=24564,
    limit_w=450.0,
    idle_w=30.0,
    busy_w=330.0,
    engine="llama.cpp",
    version="b6789",
    quantization="Q4_K_M",
    tokens_per_s=140.0,
)
Change = Callable[[Content], Content]


@dataclass(frozen=True, slots=True)
class Forgery:
    """What somebody makes of an honest run of ``rig``, and the ground it has to be held back for.

    ``among_peers``: runs of others with the same settings are on the board; ``beside_original``: the run
    that it was made of is. ``why``: what keeps it from being told, where it is `ACCEPTED`.
    """

    name: str
    forge: Change
    expected: str
    rig: Rig = H100
    among_peers: bool = False
    beside_original: bool = False
    why: str = ""

    @property
    def content(self) -> Content:
        """What the forger sends; `doubles.board_runs.bundle_of` packs and signs it."""
        return self.forge(content_of(self.rig))


def forgeries() -> Iterator[Forgery]:
    """Yield every forgery."""
    yield from _energies()
    yield from _times()
    yield from _answers()
    yield from _devices()
    yield from _copies()


def _energies() -> Iterator[Forgery]:
    alone = "the board could be one of a better make: others' runs of it tell"
    yield Forgery("half the energy", scaled(0.5), ACCEPTED, why=alone)
    yield Forgery("half the energy, among others", scaled(0.5), "energy_unlike", among_peers=True)
    yield Forgery("a tenth of the energy", scaled(0.1), "below_idle")
    yield Forgery(
        "a tenth of the energy, of idle too",
        lambda one: _baselines(scaled(0.1)(one), loaded_idle_w=11.8, loaded_idle_bound_w=(11.0, 12.0)),
        "below_memory_energy",
    )
    yield Forgery("double the energy", scaled(2.0), "above_limit")
    yield Forgery(
        "double the energy below a limit, among others",
        scaled(1.7),
        "power_unlike",
        replace(H100, busy_w=300.0),
        among_peers=True,
    )
    yield Forgery("half the counter", scaled(0.5, "energy_j"), "drift")
    yield Forgery("half the gauge", scaled(0.5, "power_w"), "drift")
    yield Forgery("idle power taken off", lambda one: _powers(one, lambda w, _: w - 118.0), "below_idle")
    yield Forgery(
        "idle power taken off while it answered",
        lambda one: _powers(one, lambda w, _: np.where(w > 250, w - 118.0, w)),
        ACCEPTED,
        among_peers=True,
        why="it is within what two boards of a kind differ",
    )
    yield Forgery(
        "power flat-lined", lambda one: _powers(one, lambda w, _: np.full_like(w, 200.0)), "flat_power"
    )
    yield Forgery(
        "power flat-lined with noise",
        lambda one: _powers(one, lambda w, noise: 200.0 + noise.normal(0, 2, len(w))),
        ACCEPTED,
        why="a board at rest looks like that: others' runs tell where it is too far off",
    )
    yield Forgery("a stated limit below the power", _limit(300.0), "above_limit")
    yield Forgery(
        "throttling removed",
        _without("throttle_power_cap_ns"),
        ACCEPTED,
        why="a driver may lack the counter, and then the figure is null",
    )
    yield Forgery("a plug computed from the board", _invented_plug(0.0), "invented_meter")
    yield Forgery(
        "a plug made up with noise",
        _invented_plug(8.0),
        ACCEPTED,
        why="its tier is B by its evidence, and it is METERED only once its answers were challenged",
    )
    yield Forgery(
        "a plug that sees next to nothing more", _invented_plug(4.0, 1.01, 0.5), "wall_below_device"
    )


def _times() -> Iterator[Forgery]:
    yield Forgery(
        "readings half a second late",
        _moved(round(0.5 * S)),
        ACCEPTED,
        why="it changes the energy by half a second of idling",
    )
    yield Forgery("readings four seconds late", _moved(4 * S), "misaligned")
    yield Forgery(
        "readings two seconds early",
        _moved(-2 * S),
        ACCEPTED,
        why="an engine may idle while a request waits: others' runs tell where it is too far off",
    )
    yield Forgery("time compressed", _stretched(0.4), "drift")
    yield Forgery("time compressed, watts to match", _compressed_watts(0.5), "above_limit")
    yield Forgery("time compressed, joules to match", _compressed_joules(0.4), "decode_rate")
    yield Forgery(
        "time compressed a little, joules to match",
        _compressed_joules(0.8),
        ACCEPTED,
        why="the board could be that fast: others' runs tell where it is too far off",
    )
    yield Forgery("time compressed, among others", _compressed_joules(0.55), "speed_unlike", among_peers=True)
    yield Forgery("time stretched", _stretched(2.0), "drift")
    unknown = replace(H100, device="NVIDIA Testboard 90")
    yield Forgery("a million tokens a second", _compressed_joules(1.4e-4), "impossible_rate", unknown)


def _answers() -> Iterator[Forgery]:
    yield Forgery(
        "verdicts edited", _all_right, ACCEPTED, why="correctness is as reported until answers are opened"
    )
    yield Forgery("verdicts edited, among others", _all_right, "accuracy_unlike", among_peers=True)
    yield Forgery(
        "half of the wrong verdicts edited, among others",
        _some_right,
        "verdicts_unlike",
        replace(H100, n=60),
        among_peers=True,
    )
    yield Forgery("another model's answers, among others", _other_lengths, "answers_unlike", among_peers=True)
    yield Forgery("only correct answers kept", _only_right, "answers_missing")
    yield Forgery(
        "only correct answers kept, and so few asked",
        lambda one: _task(_only_right(one), len(_only_right(one).rows)),
        ACCEPTED,
        why="the energy of the others stays in the windows; whoever asks picks the questions in a challenge",
    )
    yield Forgery("answers twice under new names", _twice, "repeated_answers")
    yield Forgery("ten times the tokens", _tokens(10), "token_counts")
    yield Forgery(
        "three times the tokens in as many pieces",
        _tokens(3, in_pieces=True),
        ACCEPTED,
        why="speculative decoding looks alike, and J/token is ranked within a task and its questions only",
    )
    yield Forgery(
        "three times the tokens in as many pieces, among others",
        _tokens(3, in_pieces=True),
        "length_unlike",
        among_peers=True,
    )
    yield Forgery("every piece cut in three", _cut_pieces, "decode_rate")
    yield Forgery("a thousand times the prompts", _prompts(1000), "prompt_rate")


def _devices() -> Iterator[Forgery]:
    better = "NVIDIA H100 80GB HBM3"
    yield Forgery("device renamed", _renamed(better, meters=False), "device_unlike", RTX_4090)
    yield Forgery("device and meter renamed", _renamed(better), "device_unlike", RTX_4090)
    yield Forgery(
        "device, meter and memory renamed",
        lambda one: _limit(700.0)(_renamed(better, vram_mib=81559)(one)),
        ACCEPTED,
        RTX_4090,
        why="it is a slow board of that name: others' runs tell where it is too far off",
    )
    yield Forgery(
        "a limit that no board has", lambda one: _limit(900.0)(_powers(one, lambda w, _: w)), "device_unlike"
    )
    yield Forgery(
        "called by a lesser board's name",
        lambda one: _limit(450.0)(_renamed("NVIDIA GeForce RTX 4090", vram_mib=24564)(one)),
        "decode_rate",
    )
    fast = replace(H100, engine="llama.cpp", quantization="Q4_K_M", tokens_per_s=420.0)
    yield Forgery("quantization mislabelled", _engine(quantization="bfloat16"), "decode_rate", fast)
    yield Forgery("another model named", _engine(model="meta-llama/Llama-3.3-70B-Instruct"), "decode_rate")
    yield Forgery(
        "a model without a size named",
        _engine(model="own/finest"),
        ACCEPTED,
        why="nothing is known of its weights; a challenge opens its answers",
    )


def _copies() -> Iterator[Forgery]:
    def other(one: Content) -> Content:
        return content_of(H100, 99)

    yield Forgery("sent again by another key", lambda one: one, "duplicate_telemetry", beside_original=True)
    yield Forgery("an hour later, items renamed", _replayed, "duplicate_telemetry", beside_original=True)
    yield Forgery(
        "half of it, a fifth less energy",
        lambda one: scaled(0.8)(_middle(one)),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "idle taken off a copy",
        lambda one: _powers(one, lambda w, _: np.where(w > 250, w - 118.0, w)),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "readings of another's run",
        lambda one: replace(one, rows=_fitted(other(one).rows, one)),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "answers of another's run",
        lambda one: replace(one, readings=other(one).readings),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "copy with noise on its readings",
        lambda one: _powers(one, lambda w, noise: w * (1 + 1e-4 * noise.normal(size=len(w)))),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "copy at another pace", _compressed_joules(0.9), "duplicate_telemetry", beside_original=True
    )


def scaled(factor: float, *names: str) -> Change:
    """Scale joules and watts, or only the quantities that are named."""
    which = names or ("energy_j", "power_w")

    def change(content: Content) -> Content:
        return _values(
            content, lambda one: {n: v * factor if n in which else v for n, v in one.values.items()}
        )

    return change


def _values(content: Content, change: Callable[[Reading], dict[str, float]]) -> Content:
    return replace(content, readings=tuple(replace(one, values=change(one)) for one in content.readings))


def _without(name: str) -> Change:
    return lambda one: _values(one, lambda r: {n: v for n, v in r.values.items() if n != name})


def _powers(content: Content, change: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> Content:
    """Change the power of every meter, and let its joules follow from it."""
    noise = np.random.default_rng(1)
    made: list[Reading] = []
    for source in dict.fromkeys(one.source for one in content.readings):
        told = [one for one in content.readings if one.source == source]
        watts = np.maximum(change(np.array([one.values["power_w"] for one in told]), noise), 0.0)
        t_s = np.array([one.t_ns for one in told]) / S
        joules = 1e6 + np.concatenate([[0.0], np.cumsum(np.diff(t_s) * (watts[1:] + watts[:-1]) / 2)])
        for one, w, j in zip(told, watts.tolist(), joules.tolist(), strict=True):
            made.append(replace(one, values={**one.values, "power_w": round(w, 3), "energy_j": round(j, 3)}))
    return replace(content, readings=tuple(made))


def _manifest(content: Content, change: Callable[[Any], None]) -> Content:
    manifest = content.manifest.model_copy(deep=True)
    change(manifest)
    return replace(content, manifest=manifest)


def _baselines(content: Content, **fields: object) -> Content:
    def change(manifest: Any) -> None:
        manifest.baselines = manifest.baselines.model_copy(update=fields)

    return _manifest(content, change)


def _limit(watts: float) -> Change:
    def change(manifest: Any) -> None:
        for one in manifest.devices:
            one.power_limit_w = watts

    return lambda one: _manifest(one, change)


def _task(content: Content, n_items: int) -> Content:
    def change(manifest: Any) -> None:
        manifest.task.n_items = n_items

    return _manifest(content, change)


def _engine(**fields: object) -> Change:
    def change(manifest: Any) -> None:
        manifest.engine = manifest.engine.model_copy(update=fields)

    return lambda one: _manifest(one, change)


def _renamed(name: str, *, meters: bool = True, vram_mib: int | None = None) -> Change:
    def change(manifest: Any) -> None:
        for one in manifest.devices:
            one.name, one.vram_mib = name, vram_mib or one.vram_mib
        if meters:
            for meter in manifest.meters:
                meter.source = replace(meter.source, device_name=name)

    return lambda one: _manifest(one, change)


def _invented_plug(noise_w: float, slope: float = 1.2, base_w: float = 60.0) -> Change:
    def change(content: Content) -> Content:
        noise = np.random.default_rng(2)
        told = [one for one in content.readings if one.source == "nvml:0"]
        watts = np.array([one.values["power_w"] for one in told]) * slope + base_w
        watts += noise_w * noise.normal(size=len(told))
        t_s = np.array([one.t_ns for one in told]) / S
        joules = 1e4 + np.concatenate([[0.0], np.cumsum(np.diff(t_s) * (watts[1:] + watts[:-1]) / 2)])
        plug = tuple(
            Reading(0, one.t_ns + 1000, "shelly", "", {"energy_j": j, "power_w": w}, 900_000)
            for one, w, j in zip(told, watts.tolist(), joules.tolist(), strict=True)
        )
        info = SourceInfo("shelly", "shelly", Scope("wall"), ("energy_j", "power_w"), power_window_s=0.0)
        meter = Meter.of(
            QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, 1.0, 240.0, 3.0, 30)), 0
        )
        made = _manifest(content, lambda manifest: manifest.meters.append(meter))
        return replace(made, readings=(*content.readings, *plug))

    return change


def _moved(by_ns: int) -> Change:
    return lambda content: replace(
        content, readings=tuple(replace(one, t_ns=one.t_ns + by_ns) for one in content.readings)
    )


def _stretched(factor: float) -> Change:
    """Stretch all stamps about the beginning of the measuring."""

    def at(t_ns: int) -> int:
        return T0 + round((t_ns - T0) * factor)

    def change(content: Content) -> Content:
        def manifest(found: Any) -> None:
            for one in (*found.segments, *found.windows):
                one.t0, one.t1 = at(one.t0), at(one.t1)

        rows = tuple(_timed(row, at) for row in content.rows)
        readings = tuple(replace(one, t_ns=at(one.t_ns), read_ns=1000) for one in content.readings)
        return replace(_manifest(content, manifest), rows=rows, readings=readings)

    return change


def _timed(row: ItemRow, at: Callable[[int], int]) -> ItemRow:
    item = row.item
    moved = {
        name: None if (value := getattr(item, name)) is None else at(value)
        for name in ("t_sent", "t_end", "t_first", "t_first_answer")
    }
    attempts = tuple(replace(one, t_sent=at(one.t_sent), t_end=at(one.t_end)) for one in item.attempts)
    chunks = tuple(Chunk(at(chunk.t_ns), chunk.tokens, chunk.coalesced) for chunk in row.chunks)
    return ItemRow(replace(item, **moved, attempts=attempts), chunks)


def _compressed_watts(factor: float) -> Change:
    return lambda one: scaled(1 / factor, "power_w")(_stretched(factor)(one))


def _compressed_joules(factor: float) -> Change:
    return lambda one: scaled(factor, "energy_j")(_stretched(factor)(one))


def _items(content: Content, change: Callable[[ItemRow], ItemRow]) -> Content:
    return replace(content, rows=tuple(change(row) for row in content.rows))


def _all_right(content: Content) -> Content:
    def right(row: ItemRow) -> ItemRow:
        return ItemRow(replace(row.item, verdict=Verdict.CORRECT, correct=True, score=1.0), row.chunks)

    return _items(content, right)


def _some_right(content: Content) -> Content:
    wrong = {row.item.item_id for row in content.rows if not row.item.correct}
    edited = set(sorted(wrong)[: -(-len(wrong) // 2)])

    def right(row: ItemRow) -> ItemRow:
        if row.item.item_id not in edited:
            return row
        return ItemRow(replace(row.item, verdict=Verdict.CORRECT, correct=True, score=1.0), row.chunks)

    return _items(content, right)


def _other_lengths(content: Content) -> Content:
    """Let every answer be some tokens longer than it was, in as many pieces more."""

    def change(row: ItemRow) -> ItemRow:
        k = 1 + row.item.index % 5
        gaps = [Chunk(row.chunks[-1].t_ns + n + 1, 1, False) for n in range(k)]
        item = replace(row.item, completion_tokens=(row.item.completion_tokens or 0) + k)
        return ItemRow(item, (*row.chunks, *gaps))

    return _items(content, change)


def _only_right(content: Content) -> Content:
    kept = [row for row in content.rows if row.item.correct]
    return replace(content, rows=_numbered(kept))


def _numbered(rows: Sequence[ItemRow]) -> tuple[ItemRow, ...]:
    return tuple(
        ItemRow(replace(row.item, index=k, item_id=f"q{k:06d}"), row.chunks) for k, row in enumerate(rows)
    )


def _twice(content: Content) -> Content:
    """Append the whole run to itself, with its readings."""
    length_ns = max(row.item.t_end for row in content.rows) - T0 + S // 10
    later = [_timed(row, lambda t: t + length_ns) for row in content.rows]
    first = [one for one in content.readings if one.t_ns < T0 + length_ns]
    second = [one for one in content.readings if one.t_ns >= T0]
    rise = next(one for one in second).values["energy_j"]
    at_end = first[-1].values["energy_j"]
    again = [
        replace(
            one,
            t_ns=one.t_ns + length_ns,
            values={**one.values, "energy_j": one.values["energy_j"] - rise + at_end + 30.0},
        )
        for one in second
    ]

    def manifest(found: Any) -> None:
        found.segments[0].t1 += length_ns
        found.windows[0].t1 += length_ns
        found.task.n_items *= 2

    rows = _numbered([*content.rows, *later])
    return replace(_manifest(content, manifest), rows=rows, readings=(*first, *again))


def _tokens(factor: int, *, in_pieces: bool = False) -> Change:
    def change(row: ItemRow) -> ItemRow:
        item = replace(row.item, completion_tokens=(row.item.completion_tokens or 0) * factor)
        chunks = tuple(Chunk(c.t_ns, (c.tokens or 0) * factor, c.coalesced) for c in row.chunks)
        return ItemRow(item, chunks if in_pieces else row.chunks)

    return lambda content: _items(content, change)


def _cut_pieces(content: Content) -> Content:
    def change(row: ItemRow) -> ItemRow:
        cut: list[Chunk] = []
        for before, chunk in zip((None, *row.chunks), row.chunks, strict=False):
            start = row.item.t_sent if before is None else before.t_ns
            gap = (chunk.t_ns - start) // 3
            cut += [Chunk(chunk.t_ns - k * gap, 1, False) for k in (2, 1, 0)]
        first = cut[0].t_ns
        item = replace(row.item, completion_tokens=len(cut), t_first=first, t_first_answer=first)
        return ItemRow(item, tuple(cut))

    return _items(content, change)


def _prompts(factor: int) -> Change:
    return lambda content: _items(
        content,
        lambda row: ItemRow(
            replace(row.item, prompt_tokens=(row.item.prompt_tokens or 0) * factor), row.chunks
        ),
    )


def _replayed(content: Content) -> Content:
    """Move a run by an hour, and give it other ids."""
    hour = 3600 * S

    def manifest(found: Any) -> None:
        for one in (*found.segments, *found.windows):
            one.t0, one.t1 = one.t0 + hour, one.t1 + hour
        found.run_id = "ffeeddccbbaa00112233aabb"
        found.segments[0].wall_anchor_ns += 86_400 * S

    def renamed(k: int, row: ItemRow) -> ItemRow:
        item: Item = replace(row.item, item_id=f"q{k:06d}", index=500 + k)
        return ItemRow(item, row.chunks)

    rows = tuple(renamed(k, _timed(row, lambda t: t + hour)) for k, row in enumerate(content.rows))
    readings = tuple(replace(one, t_ns=one.t_ns + hour) for one in content.readings)
    return replace(_manifest(content, manifest), rows=rows, readings=readings)


def _middle(content: Content) -> Content:
    """Keep the middle half of a run's answers, and the readings about them."""
    n = len(content.rows)
    kept = content.rows[n // 4 : n - n // 4]
    t0, t1 = kept[0].item.t_begin - S // 20, kept[-1].item.t_end + S // 20

    def manifest(found: Any) -> None:
        found.windows[0].t0, found.windows[0].t1 = t0, t1
        found.segments[0].t0, found.segments[0].t1 = t0 - S, t1 + S
        found.task.n_items = len(kept)

    readings = tuple(one for one in content.readings if t0 - S // 2 <= one.t_ns <= t1 + S // 2)
    return replace(_manifest(content, manifest), rows=_numbered(kept), readings=readings)


def _fitted(rows: Sequence[ItemRow], content: Content) -> tuple[ItemRow, ...]:
    """Let another run's answers lie within this one's windows."""
    t1 = content.manifest.windows[0].t1
    assert t1 is not None
    return tuple(row for row in rows if row.item.t_end <= t1)
