"""All that the published method says of a task, and the truth beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.criteria import Criterion, criteria_of
from joulemark.frugal.published.cutoff import FEW_ITEMS, Cutoff, Progress, find_cutoff
from joulemark.frugal.published.frame_study import StudiedFrame, study_frames
from joulemark.frugal.published.honest import Width, default_target, interval_at, needed_items
from joulemark.frugal.published.loss import Loss, loss_at_cutoff
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.projection import OtherModel, Projected, project
from joulemark.frugal.published.self_application import SelfApplication, apply_to_itself
from joulemark.frugal.published.shuffles import BernoulliNull, BrownianNull, Shuffles, shuffles_of
from joulemark.frugal.sample_size import Interval
from joulemark.record.errors import InputError

Stages = Callable[[str], Progress | None]
"""Is told what begins, and returns what is to be told how many shuffles are done."""

COARSE_BELOW = 2.5
"""Of the rarer answers in a frame: the cut-off of fewer leaves its constant (33 % of .15, 41.4 % of 1.5)."""
_APART, _ERRORS_APART = 0.01, 4.0  # of the items, and standard errors of the two means beyond that


class Null(StrEnum):
    """Random numbers in place of data: Brownian motion, or coins thrown anew for every shuffle."""

    BROWNIAN = "brownian"
    BERNOULLI = "bernoulli"


@dataclass(frozen=True, slots=True)
class NullResult:
    """The same pipeline on random numbers."""

    kind: Null
    cutoff: Cutoff
    ks_p: float | None


@dataclass(frozen=True, slots=True)
class Study:
    """The method on one task. ``interval`` is at the cut-off's size, ``needed_n`` for ``wanted``."""

    outcomes: Outcomes
    stratified: bool
    cutoff: Cutoff
    ks_p: float | None
    loss: Loss
    interval: Interval
    wanted: Width
    needed_n: int | None
    null: NullResult
    criteria: tuple[Criterion, ...]
    projected: tuple[tuple[OtherModel, tuple[Projected, ...]], ...]
    frame_study: tuple[StudiedFrame, ...] | None
    self_application: SelfApplication | None

    @property
    def is_small(self) -> bool:
        """Whether there are fewer items than the published method is meant for."""
        return len(self.outcomes) < FEW_ITEMS

    @property
    def rarer_in_frame(self) -> float | None:
        """How many of the rarer answers a frame holds in the mean; null of other items."""
        if not self.outcomes.is_binary:
            return None
        share = float(self.outcomes.values.mean())
        return self.cutoff.frames.length * min(share, 1 - share)

    @property
    def is_coarse(self) -> bool:
        """Whether a frame holds so few of the rarer answers that its slopes have few sizes."""
        return self.rarer_in_frame is not None and self.rarer_in_frame < COARSE_BELOW

    @property
    def leaves_constant(self) -> bool:
        """Whether the cut-off is not the smoother's constant: its slopes are coarse, or it lies elsewhere.

        Elsewhere is more than a point of 100 from random numbers, beyond what so few shuffles may err: as of
        values of which a few outweigh all others.
        """
        cutoffs = (self.cutoff, self.null.cutoff)
        error = math.hypot(*(one.sd / math.sqrt(len(one.fractions)) for one in cutoffs))
        apart = abs(self.cutoff.mean - self.null.cutoff.mean)
        return self.is_coarse or apart > _APART + _ERRORS_APART * error


def null_shuffles(kind: Null, n_items: int) -> Shuffles:
    """Return the source of random numbers."""
    return BrownianNull(n_items) if kind is Null.BROWNIAN else BernoulliNull(n_items)


def run_null(kind: Null, n_items: int, method: Method, stages: Stages | None = None) -> NullResult:
    """Run the pipeline on random numbers; raises `InputError` where frames do not fit."""
    told = stages(f"random numbers ({kind})") if stages is not None else None
    cutoff = find_cutoff(null_shuffles(kind, n_items), method, told)
    return NullResult(kind, cutoff, cutoff.ks_p())


def study(
    outcomes: Outcomes,
    method: Method,
    *,
    wanted: Width | None = None,
    stratify: bool = False,
    null: Null | None = None,
    others: tuple[OtherModel, ...] = (),
    frames: bool = False,
    itself: bool = False,
    stages: Stages | None = None,
) -> Study:
    """Run the method and all that stands beside it. Raises `InputError`.

    Random numbers always go through the pipeline too: by the same slopes in fast mode, or by the method
    itself where ``null`` names them. They are alike in every order, so strata change nothing of theirs.
    """
    if stratify and outcomes.domains is None:
        raise InputError(
            f"{outcomes.name} names no domains",
            why="stratified shuffles keep the domains' proportions",
            fix="leave --stratify out, or name a file with a column domain, category or subject",
        )
    shuffles = shuffles_of(outcomes.values, outcomes.domains if stratify else None)
    cutoff = find_cutoff(shuffles, method, stages("shuffles") if stages else None)
    quick = replace(method, exact=False, slope=method.slope_of(len(outcomes)))
    beside = method if null is not None else quick
    of_null = run_null(null or Null.BROWNIAN, len(outcomes), beside, stages)
    aim = wanted or default_target(outcomes)

    def of_frames(number: int, length: int) -> Progress | None:
        return stages(f"frames of {length:,} items") if stages else None

    def of_step(number: int, n: int) -> Progress | None:
        return stages(f"self-application {number}: {n:,} items") if stages else None

    def of_criterion(title: str) -> Progress | None:
        return stages(title) if stages else None

    return Study(
        outcomes=outcomes,
        stratified=stratify,
        cutoff=cutoff,
        ks_p=cutoff.ks_p(),
        loss=loss_at_cutoff(cutoff, outcomes),
        interval=interval_at(cutoff.n_items, outcomes),
        wanted=aim,
        needed_n=needed_items(aim, outcomes),
        null=of_null,
        criteria=criteria_of(outcomes, cutoff.mean, method, of_criterion),
        projected=tuple((other, project(other, outcomes, cutoff.mean)) for other in others),
        frame_study=study_frames(outcomes, shuffles, method, of_frames) if frames else None,
        self_application=(
            apply_to_itself(
                outcomes,
                method,
                stratify=stratify,
                first=cutoff if method.exact else None,
                progress=of_step,
            )
            if itself
            else None
        ),
    )
