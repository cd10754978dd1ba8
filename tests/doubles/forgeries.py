"""Forgeries that are consistent in themselves: they verify, and what a board makes of each is told here.

``accepted`` is what nothing can tell without a challenge, a meter of one's own, or more runs of others: such
a row never gets above `Rung.RECOMPUTED`, and ``why`` says what would tell it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from doubles.board_runs import Rig, content_of
from doubles.forged_content import (
    Change,
    all_right,
    baselines,
    compressed_joules,
    compressed_watts,
    cut_pieces,
    engine,
    fitted,
    invented_plug,
    limit,
    middle,
    moved,
    only_right,
    other_lengths,
    powers,
    prompts,
    renamed,
    replayed,
    scaled,
    some_right,
    stretched,
    task,
    tokens,
    twice,
    without,
)
from doubles.run_views import S
from joulemark.bundles.submission.content import Content

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
        lambda one: baselines(scaled(0.1)(one), loaded_idle_w=11.8, loaded_idle_bound_w=(11.0, 12.0)),
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
    yield Forgery("idle power taken off", lambda one: powers(one, lambda w, _: w - 118.0), "below_idle")
    yield Forgery(
        "idle power taken off while it answered",
        lambda one: powers(one, lambda w, _: np.where(w > 250, w - 118.0, w)),
        ACCEPTED,
        among_peers=True,
        why="it is within what two boards of a kind differ",
    )
    yield Forgery(
        "power flat-lined", lambda one: powers(one, lambda w, _: np.full_like(w, 200.0)), "flat_power"
    )
    yield Forgery(
        "power flat-lined with noise",
        lambda one: powers(one, lambda w, noise: 200.0 + noise.normal(0, 2, len(w))),
        ACCEPTED,
        why="a board at rest looks like that: others' runs tell where it is too far off",
    )
    yield Forgery("a stated limit below the power", limit(300.0), "above_limit")
    yield Forgery(
        "throttling removed",
        without("throttle_power_cap_ns"),
        ACCEPTED,
        why="a driver may lack the counter, and then the figure is null",
    )
    yield Forgery("a plug computed from the board", invented_plug(0.0), "invented_meter")
    yield Forgery(
        "a plug made up with noise",
        invented_plug(8.0),
        ACCEPTED,
        why="its tier is B by its evidence, and it is METERED only once its answers were challenged",
    )
    yield Forgery("a plug that sees next to nothing more", invented_plug(4.0, 1.01, 0.5), "wall_below_device")


def _times() -> Iterator[Forgery]:
    yield Forgery(
        "readings half a second late",
        moved(round(0.5 * S)),
        ACCEPTED,
        why="it changes the energy by half a second of idling",
    )
    yield Forgery("readings four seconds late", moved(4 * S), "misaligned")
    yield Forgery(
        "readings two seconds early",
        moved(-2 * S),
        ACCEPTED,
        why="an engine may idle while a request waits: others' runs tell where it is too far off",
    )
    yield Forgery("time compressed", stretched(0.4), "drift")
    yield Forgery("time compressed, watts to match", compressed_watts(0.5), "above_limit")
    yield Forgery("time compressed, joules to match", compressed_joules(0.4), "decode_rate")
    yield Forgery(
        "time compressed a little, joules to match",
        compressed_joules(0.8),
        ACCEPTED,
        why="the board could be that fast: others' runs tell where it is too far off",
    )
    yield Forgery("time compressed, among others", compressed_joules(0.55), "speed_unlike", among_peers=True)
    yield Forgery("time stretched", stretched(2.0), "drift")
    unknown = replace(H100, device="NVIDIA Testboard 90")
    yield Forgery("a million tokens a second", compressed_joules(1.4e-4), "impossible_rate", unknown)


def _answers() -> Iterator[Forgery]:
    yield Forgery(
        "verdicts edited", all_right, ACCEPTED, why="correctness is as reported until answers are opened"
    )
    yield Forgery("verdicts edited, among others", all_right, "accuracy_unlike", among_peers=True)
    yield Forgery(
        "half of the wrong verdicts edited, among others",
        some_right,
        "verdicts_unlike",
        replace(H100, n=60),
        among_peers=True,
    )
    yield Forgery("another model's answers, among others", other_lengths, "answers_unlike", among_peers=True)
    yield Forgery("only correct answers kept", only_right, "answers_missing")
    yield Forgery(
        "only correct answers kept, and so few asked",
        lambda one: task(only_right(one), len(only_right(one).rows)),
        ACCEPTED,
        why="the energy of the others stays in the windows; whoever asks picks the questions in a challenge",
    )
    yield Forgery("answers twice under new names", twice, "repeated_answers")
    yield Forgery("ten times the tokens", tokens(10), "token_counts")
    yield Forgery(
        "three times the tokens in as many pieces",
        tokens(3, in_pieces=True),
        ACCEPTED,
        why="speculative decoding looks alike, and J/token is ranked within a task and its questions only",
    )
    yield Forgery(
        "three times the tokens in as many pieces, among others",
        tokens(3, in_pieces=True),
        "length_unlike",
        among_peers=True,
    )
    yield Forgery("every piece cut in three", cut_pieces, "decode_rate")
    yield Forgery("a thousand times the prompts", prompts(1000), "prompt_rate")


def _devices() -> Iterator[Forgery]:
    better = "NVIDIA H100 80GB HBM3"
    yield Forgery("device renamed", renamed(better, meters=False), "device_unlike", RTX_4090)
    yield Forgery("device and meter renamed", renamed(better), "device_unlike", RTX_4090)
    yield Forgery(
        "device, meter and memory renamed",
        lambda one: limit(700.0)(renamed(better, vram_mib=81559)(one)),
        ACCEPTED,
        RTX_4090,
        why="it is a slow board of that name: others' runs tell where it is too far off",
    )
    yield Forgery(
        "a limit that no board has", lambda one: limit(900.0)(powers(one, lambda w, _: w)), "device_unlike"
    )
    yield Forgery(
        "called by a lesser board's name",
        lambda one: limit(450.0)(renamed("NVIDIA GeForce RTX 4090", vram_mib=24564)(one)),
        "decode_rate",
    )
    fast = replace(H100, engine="llama.cpp", quantization="Q4_K_M", tokens_per_s=420.0)
    yield Forgery("quantization mislabelled", engine(quantization="bfloat16"), "decode_rate", fast)
    yield Forgery("another model named", engine(model="meta-llama/Llama-3.3-70B-Instruct"), "decode_rate")
    yield Forgery(
        "a model without a size named",
        engine(model="own/finest"),
        ACCEPTED,
        why="nothing is known of its weights; a challenge opens its answers",
    )


def _copies() -> Iterator[Forgery]:
    def other(one: Content) -> Content:
        return content_of(H100, 99)

    yield Forgery("sent again by another key", lambda one: one, "duplicate_telemetry", beside_original=True)
    yield Forgery("an hour later, items renamed", replayed, "duplicate_telemetry", beside_original=True)
    yield Forgery(
        "half of it, a fifth less energy",
        lambda one: scaled(0.8)(middle(one)),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "idle taken off a copy",
        lambda one: powers(one, lambda w, _: np.where(w > 250, w - 118.0, w)),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery(
        "readings of another's run",
        lambda one: replace(one, rows=fitted(other(one).rows, one)),
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
        lambda one: powers(one, lambda w, noise: w * (1 + 1e-4 * noise.normal(size=len(w)))),
        "duplicate_telemetry",
        beside_original=True,
    )
    yield Forgery("copy at another pace", compressed_joules(0.9), "duplicate_telemetry", beside_original=True)
