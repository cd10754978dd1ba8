"""The facts of a run, from its bundle as it was recomputed."""

from __future__ import annotations

import math
import warnings
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from joulemark.board.judging.answer_times import answer_times
from joulemark.board.judging.facts import Kind, RunFacts
from joulemark.board.judging.fingerprint import fingerprint_of
from joulemark.board.judging.power_course import headline_timelines, power_course, wall_residual_share
from joulemark.board.judging.weights import weights_of
from joulemark.metrics.media import medium_of
from joulemark.metrics.point_device import point_devices
from joulemark.metrics.point_settings import point_task, questions_digest
from joulemark.metrics.tier import is_simulated
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.scope import WALL_KINDS
from joulemark.record.simulated import is_simulated_kind

if TYPE_CHECKING:
    from joulemark.bundles.submission.verification import Verification
    from joulemark.metrics.run_view import RunView
    from joulemark.metrics.summary import Summary


def facts_of(verification: Verification) -> RunFacts:
    """Return the facts of a bundle that was recomputed. Raises ``ValueError`` for one that was not.

    A number that made-up readings drive out of all bounds is not known.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _facts_of(verification)
    wild: dict[str, Any] = {
        one.name: None
        for one in fields(found)
        if isinstance(value := getattr(found, one.name), float) and not math.isfinite(value)
    }
    return replace(found, **wild) if wild else found


def _facts_of(verification: Verification) -> RunFacts:
    view, summary, signer = verification.view, verification.summary, verification.public_key
    if view is None or summary is None or signer is None:
        raise ValueError("only a bundle that was recomputed, of a known signer, has facts")
    manifest, items = view.manifest, view.measured_items
    device, n_devices = point_devices(view)
    weights = weights_of(manifest.engine.model, manifest.engine.quantization, manifest.engine.flags)
    energy, course, times = view.headline_energy, power_course(view), answer_times(view)
    measured = energy if isinstance(energy, MeasuredEnergy) else None
    boards = [one for one in manifest.devices if one.engine_on_device]

    def figure(name: str) -> float | None:
        return summary.figures[name].value

    return RunFacts(
        digest=verification.digest,
        signer=signer,
        run_id=manifest.run_id,
        kind=_kind(view, summary),
        state=manifest.state,
        model=manifest.engine.model,
        quantization=manifest.engine.quantization,
        parameters=weights.parameters,
        active_parameters=weights.active_parameters,
        bits_per_weight=weights.bits,
        engine=manifest.engine.kind,
        engine_version=manifest.engine.version,
        prefix_cache=manifest.engine.prefix_cache,
        device=device,
        n_devices=n_devices,
        meter_device=_meter_device(view),
        vram_mib=max((one.vram_mib for one in boards if one.vram_mib is not None), default=None),
        power_limit_w=max((one.power_limit_w for one in boards if one.power_limit_w), default=None),
        scope=None if measured is None else "+".join(sorted({scope.kind for scope in measured.scopes})),
        n_scopes=None if measured is None else len(measured.scopes),
        tier=summary.measurement_tier,
        task=point_task(manifest.task),
        questions=questions_digest(manifest.task, in_batches=medium_of(view) is not None),
        config_hash=manifest.config_hash,
        nonce=manifest.task.nonce,
        load=manifest.load.mode,
        concurrency=manifest.load.concurrency,
        rate=manifest.load.rate,
        most_in_flight=times.most_in_flight,
        was_stopped=manifest.stop is not None and manifest.stop.stopped is not None,
        n_wanted=summary.n_wanted,
        n_items=summary.n_items,
        n_requests=summary.n_requests,
        n_scored=summary.n_scored,
        n_correct=summary.n_correct,
        prompt_tokens=_total([item.prompt_tokens for item in items]),
        cached_tokens=_total([item.cached_tokens for item in items]),
        completion_tokens=_total([item.completion_tokens for item in items]),
        duration_s=summary.duration_s,
        energy_j=None if measured is None else measured.joules,
        energy_lo_j=None if measured is None else measured.lo,
        energy_hi_j=None if measured is None else measured.hi,
        energy_reason=energy.reason.value if isinstance(energy, Withheld) else None,
        energy_source=summary.energy_source,
        mean_power_w=figure("mean_power_w"),
        joules_per_token=figure("joules_per_token"),
        joules_per_request=figure("joules_per_request"),
        joules_per_correct=figure("joules_per_correct_answer"),
        drift_pct=figure("counter_vs_integration_pct_diff"),
        wall_energy_j=_wall_energy_j(view),
        wall_residual_share=wall_residual_share(view),
        idle_power_w=_idle_w(view, manifest.baselines.loaded_idle_w),
        empty_idle_power_w=_idle_w(view, manifest.baselines.empty_idle_w),
        n_power_readings=course.n_readings,
        n_power_levels=course.n_levels,
        low_power_w=course.low_w,
        high_power_w=course.high_w,
        tail_power_w=course.tail_w,
        tokens_per_second=figure("tokens_per_second"),
        decode_tokens_per_second=figure("decode_tokens_per_second"),
        sequence_tokens_per_s=times.tokens_per_s,
        sequence_steps_per_s=times.steps_per_s,
        fastest_tokens_per_s=times.fastest_tokens_per_s,
        prompt_tokens_per_s=times.prompt_tokens_per_s,
        steps=times.steps,
        tokens_over_pieces=times.tokens_over_pieces,
        repeated_share=times.repeated_share,
        answers=fingerprint_of(view),
    )


def _kind(view: RunView, summary: Summary) -> Kind:
    if is_simulated_kind(view.manifest.engine.kind) or is_simulated(view.sources, view.headline_energy):
        return "simulated"
    return "replayed" if summary.replayed else "measured"


def _total(counts: list[int | None]) -> int | None:
    """Return the sum; null where one is not known, or there are none."""
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _meter_device(view: RunView) -> str | None:
    """Return what the headline's meters call their device; several names in order, joined."""
    leading = {one.source for one in headline_timelines(view)}
    names = {one.info.device_name for one in view.sources if one.info.name in leading}
    return " + ".join(sorted(name for name in names if name is not None)) or None


def _wall_energy_j(view: RunView) -> float | None:
    """Return the joules of a wall meter beside the headline, null where none did or it is the headline."""
    found = [
        energy.joules
        for energy in view.other_energy.values()
        if isinstance(energy, MeasuredEnergy) and {scope.kind for scope in energy.scopes} <= {*WALL_KINDS}
    ]
    headline = view.headline_energy
    if isinstance(headline, MeasuredEnergy) and {s.kind for s in headline.scopes} & {*WALL_KINDS}:
        return None
    return min(found, default=None)


def _idle_w(view: RunView, watts: float | None) -> float | None:
    """Return an idle power where it is that of what the headline covers."""
    return watts if view.manifest.baselines.scope == view.headline_scope else None
