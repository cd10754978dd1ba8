"""Runs on virtual time whose only meter is an energy register that is renewed more slowly than they answer.

Wrong answers ramble and draw less power, so energy, length and correctness hang together; what an answer
costs and how many are correct is known in the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from doubles import run_views
from doubles.run_views import T0, S
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item, ItemRow, Verdict
from joulemark.record.manifest import Meter, Segment, Window
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import WALL, Scope
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.view import view_of
from joulemark.telemetry.timeline import Timeline, Track

IDLE_W, GAP_S, FIXED_S = 60.0, 0.02, 0.15
PER_PROMPT_TOKEN_S, PER_TOKEN_S = 0.001, 0.01
P_CORRECT = 0.55
_SPREAD = 0.5


@dataclass(frozen=True)
class Answers:
    """What was answered: float64[n] each but ``correct``, bool[n]."""

    correct: np.ndarray
    prompt: np.ndarray
    tokens: np.ndarray
    seconds: np.ndarray
    watts: np.ndarray

    @property
    def joules(self) -> np.ndarray:
        """True energies, those of the gaps before the answers included."""
        return self.seconds * self.watts + GAP_S * IDLE_W


def answers(n: int, rng: np.random.Generator, power_w: float | None = None) -> Answers:
    """Draw ``n`` answers; ``power_w`` null: each draws a power of its own."""
    correct = rng.random(n) < P_CORRECT
    prompt = np.rint(rng.uniform(20, 300, n))
    tokens = np.rint(rng.lognormal(np.where(correct, 3.0, 3.5), _SPREAD)) + 1
    seconds = FIXED_S + PER_PROMPT_TOKEN_S * prompt + PER_TOKEN_S * tokens
    watts = np.full(n, power_w) if power_w else np.where(correct, 300.0, 240.0) + rng.uniform(-60, 60, n)
    return Answers(correct, prompt, tokens, seconds, watts)


def recorded(
    given: Answers,
    rng: np.random.Generator,
    *,
    renewal_s: float = 1.0,
    quantum_j: float = 3.6,
    read_s: float = 1.0,
    repeats: int = 1,
    breaks: tuple[int, ...] = (),
    verdicts: dict[int, Verdict] | None = None,
) -> RecordedRun:
    """Return the run of these answers, a register beside them, read each ``read_s``.

    Rows are asked in order, the first part of them of repeat 0 and so on. Before each row in ``breaks`` the
    run was interrupted and resumed as a new segment. ``verdicts`` replace those of single rows.
    """
    n = len(given.correct)
    each = n // repeats
    edges = [0, *breaks, n]
    items: list[Item] = []
    windows, segments, tracks = [], [], {}
    for segment, (a, b) in enumerate(pairwise(edges)):
        t0 = T0 + segment * 100_000 * S
        ends_s = np.cumsum(GAP_S + given.seconds[a:b])
        for k, end_s in zip(range(a, b), ends_s, strict=True):
            verdict = Verdict.CORRECT if given.correct[k] else Verdict.WRONG
            begin_ns = t0 + round((end_s - given.seconds[k]) * S)
            one = run_views.item(
                k % each,
                repeat=k // each,
                verdict=(verdicts or {}).get(k, verdict),
                tokens=int(given.tokens[k]),
                prompt_tokens=int(given.prompt[k]),
                segment=segment,
                t_sent=begin_ns,
                t_first=begin_ns + S // 100,
                t_first_answer=begin_ns + S // 100,
                t_end=t0 + round(end_s * S),
            )
            items.append(one)
        windows.append(Window(name="measure", segment=segment, t0=t0, t1=items[-1].t_end))
        segments.append(
            Segment(
                index=segment,
                boot_id=f"boot {segment}",
                host_hash="9a1f",
                wall_anchor_ns=0,
                t0=t0 - 10 * S,
                t1=items[-1].t_end + 10 * S,
                end="done",
                engine_local=True,
            )
        )
        seconds = np.column_stack([np.full(b - a, GAP_S), given.seconds[a:b]]).ravel()
        watts = np.column_stack([np.full(b - a, IDLE_W), given.watts[a:b]]).ravel()
        tracks[segment, "plug"] = _track(seconds, watts, t0, rng, renewal_s, quantum_j, read_s)
    info = SourceInfo(
        "plug",
        "shelly",
        Scope(WALL),
        ("energy_j",),
        counter_quantum_j=quantum_j,
        power_max_w=2500.0,
        is_register=True,
        value_age_s=renewal_s,
        read_period_s=read_s,
    )
    test = Qualification(Trust.QUALIFIED, update_period_s=renewal_s, poll_period_s=read_s)
    manifest = run_views.manifest(
        segments=segments,
        windows=windows,
        meters=[Meter.of(QualifiedSource(info, test), k) for k in range(len(segments))],
        repeats=repeats,
    )
    rows = tuple(ItemRow(one) for one in items)
    return RecordedRun(RunLayout(Path("nowhere")), manifest, rows, Timeline(tracks))


def view(given: Answers, rng: np.random.Generator, **how: object) -> RunView:
    """Return that run as the arithmetic sees it."""
    return view_of(recorded(given, rng, **how))  # type: ignore[arg-type]


def _track(
    seconds: np.ndarray,
    watts: np.ndarray,
    t0: int,
    rng: np.random.Generator,
    renewal_s: float,
    quantum_j: float,
    read_s: float,
) -> Track:
    """Read a register of the power ``watts`` over ``seconds``, idle before and after."""
    lead_s = 5 * renewal_s + 8
    at_s = np.concatenate([[-lead_s, 0.0], np.cumsum(seconds)])
    drawn_j = np.concatenate([[0.0], np.cumsum(np.concatenate([[lead_s * IDLE_W], seconds * watts]))])
    end_s = float(at_s[-1])
    at_s, drawn_j = np.append(at_s, end_s + lead_s), np.append(drawn_j, drawn_j[-1] + lead_s * IDLE_W)
    edges_s = at_s[1:-1]  # the sampler reads when answers begin and end, too
    read_at_s = np.sort(
        np.concatenate([np.arange(-lead_s + read_s, end_s + lead_s, read_s), edges_s + 0.004])
    )
    phase_s = float(rng.uniform(0, renewal_s))
    renewed_s = np.floor((read_at_s - phase_s) / renewal_s) * renewal_s + phase_s
    joules = 7.2e6 + np.interp(renewed_s, at_s, drawn_j)
    value = np.floor(joules / quantum_j) * quantum_j
    t_ns = t0 + np.rint(read_at_s * S).astype(np.int64)
    return Track(t_ns, t_ns - 3_000_000, {"energy_j": value}, np.zeros(len(t_ns), np.int64), ())
