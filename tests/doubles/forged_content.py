"""What a forger does to an honest run: functions from its content to another that still verifies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from doubles.run_views import T0, S
from joulemark.bundles.submission.content import Content
from joulemark.record.item import Chunk, Item, ItemRow, Verdict
from joulemark.record.manifest import Meter
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading

Change = Callable[[Content], Content]


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


def without(name: str) -> Change:
    return lambda one: _values(one, lambda r: {n: v for n, v in r.values.items() if n != name})


def powers(content: Content, change: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> Content:
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


def baselines(content: Content, **fields: object) -> Content:
    def change(manifest: Any) -> None:
        manifest.baselines = manifest.baselines.model_copy(update=fields)

    return _manifest(content, change)


def limit(watts: float) -> Change:
    def change(manifest: Any) -> None:
        for one in manifest.devices:
            one.power_limit_w = watts

    return lambda one: _manifest(one, change)


def task(content: Content, n_items: int) -> Content:
    def change(manifest: Any) -> None:
        manifest.task.n_items = n_items

    return _manifest(content, change)


def engine(**fields: object) -> Change:
    def change(manifest: Any) -> None:
        manifest.engine = manifest.engine.model_copy(update=fields)

    return lambda one: _manifest(one, change)


def renamed(name: str, *, meters: bool = True, vram_mib: int | None = None) -> Change:
    def change(manifest: Any) -> None:
        for one in manifest.devices:
            one.name, one.vram_mib = name, vram_mib or one.vram_mib
        if meters:
            for meter in manifest.meters:
                meter.source = replace(meter.source, device_name=name)

    return lambda one: _manifest(one, change)


def invented_plug(noise_w: float, slope: float = 1.2, base_w: float = 60.0) -> Change:
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


def moved(by_ns: int) -> Change:
    return lambda content: replace(
        content, readings=tuple(replace(one, t_ns=one.t_ns + by_ns) for one in content.readings)
    )


def stretched(factor: float) -> Change:
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


def compressed_watts(factor: float) -> Change:
    return lambda one: scaled(1 / factor, "power_w")(stretched(factor)(one))


def compressed_joules(factor: float) -> Change:
    return lambda one: scaled(factor, "energy_j")(stretched(factor)(one))


def _items(content: Content, change: Callable[[ItemRow], ItemRow]) -> Content:
    return replace(content, rows=tuple(change(row) for row in content.rows))


def all_right(content: Content) -> Content:
    def right(row: ItemRow) -> ItemRow:
        return ItemRow(replace(row.item, verdict=Verdict.CORRECT, correct=True, score=1.0), row.chunks)

    return _items(content, right)


def some_right(content: Content) -> Content:
    wrong = {row.item.item_id for row in content.rows if not row.item.correct}
    edited = set(sorted(wrong)[: -(-len(wrong) // 2)])

    def right(row: ItemRow) -> ItemRow:
        if row.item.item_id not in edited:
            return row
        return ItemRow(replace(row.item, verdict=Verdict.CORRECT, correct=True, score=1.0), row.chunks)

    return _items(content, right)


def other_lengths(content: Content) -> Content:
    """Let every answer be some tokens longer than it was, in as many pieces more."""

    def change(row: ItemRow) -> ItemRow:
        k = 1 + row.item.index % 5
        gaps = [Chunk(row.chunks[-1].t_ns + n + 1, 1, False) for n in range(k)]
        item = replace(row.item, completion_tokens=(row.item.completion_tokens or 0) + k)
        return ItemRow(item, (*row.chunks, *gaps))

    return _items(content, change)


def only_right(content: Content) -> Content:
    kept = [row for row in content.rows if row.item.correct]
    return replace(content, rows=_numbered(kept))


def _numbered(rows: Sequence[ItemRow]) -> tuple[ItemRow, ...]:
    return tuple(
        ItemRow(replace(row.item, index=k, item_id=f"q{k:06d}"), row.chunks) for k, row in enumerate(rows)
    )


def twice(content: Content) -> Content:
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


def tokens(factor: int, *, in_pieces: bool = False) -> Change:
    def change(row: ItemRow) -> ItemRow:
        item = replace(row.item, completion_tokens=(row.item.completion_tokens or 0) * factor)
        chunks = tuple(Chunk(c.t_ns, (c.tokens or 0) * factor, c.coalesced) for c in row.chunks)
        return ItemRow(item, chunks if in_pieces else row.chunks)

    return lambda content: _items(content, change)


def cut_pieces(content: Content) -> Content:
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


def prompts(factor: int) -> Change:
    return lambda content: _items(
        content,
        lambda row: ItemRow(
            replace(row.item, prompt_tokens=(row.item.prompt_tokens or 0) * factor), row.chunks
        ),
    )


def replayed(content: Content) -> Content:
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


def middle(content: Content) -> Content:
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


def fitted(rows: Sequence[ItemRow], content: Content) -> tuple[ItemRow, ...]:
    """Let another run's answers lie within this one's windows."""
    t1 = content.manifest.windows[0].t1
    assert t1 is not None
    return tuple(row for row in rows if row.item.t_end <= t1)
