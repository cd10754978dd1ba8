"""How an evaluation is made: part of its identity, so that figures of two settings never meet unseen."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, field_validator

from joulemark.code.contain.limits import MIB, Limits

FEWEST_PAIRS = 4
"""Two rounds of A B B A. On 66 programs beside themselves on a busy machine, looks from four pairs on
stopped at 5.4 pairs on average, looks from six on at 7.0 (by intervals of 95 % within 5 %); the 95th
percentile of |ratio - 1| (2.8 %) and the share of intervals that hold 1 (0.95) were the same.
"""
TARGET_HALF_WIDTH = 0.06
"""Of the interval that is published, which is so wide that it holds although pairs end once it is narrow: it
takes as many pairs as one of 95 % within 5 % did (on 16 programs 9.9, and 10.1).
"""
_WALL = 3


class FigureSet(StrEnum):
    """Figures that are measured together.

    `PAPER`: time and memory as EffiBench's paper defines them, all tests in one process. `CORRECTED`: pairs
    on a scaled input, the A/A band and growth, with which efficient@k, speedup (COFFE) and DPS (EvalPerf)
    come.
    `ENAMEL`: eff@k by its own procedure, on its own levels.
    """

    PAPER = "paper"
    CORRECTED = "corrected"
    ENAMEL = "enamel"


class Settings(BaseModel):
    """The settings of an evaluation.

    ``n_tests``: tests a problem; ``seed`` fixes their inputs. ``timeout_s``: CPU time of one call, and of
    loading; three times as much wall time, so that nothing fails for a busy machine; ``memory_mib``:
    resident memory. ``min_pairs``, ``max_pairs``: of reference and candidate, the latter until the interval's
    half width is below ``target_half_width`` (a share of the ratio).
    ``same_pairs``: pairs of a problem's reference with itself, on ``same_problems`` problems (A/A), whatever
    the answers to these are.
    ``measure``: whether time and memory are measured at all, or answers are graded only; ``figures``: what is
    measured then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    n_tests: int = Field(default=100, ge=1, le=100_000)
    seed: int = 0
    timeout_s: float = Field(default=10.0, gt=0, le=3600)
    memory_mib: int = Field(default=1024, ge=32)
    measure: bool = True
    min_pairs: int = Field(default=FEWEST_PAIRS, ge=1)
    max_pairs: int = Field(default=25, ge=1)
    target_half_width: float = Field(default=TARGET_HALF_WIDTH, gt=0)
    same_problems: int = Field(default=8, ge=0)
    same_pairs: int = Field(default=6, ge=0)
    whole_repeats: int = Field(default=1, ge=0)
    growth: bool = True
    figures: tuple[FigureSet, ...] = tuple(FigureSet)

    @field_validator("figures")
    @classmethod
    def _in_one_order(cls, figures: Iterable[FigureSet]) -> tuple[FigureSet, ...]:
        chosen = set(figures)
        return tuple(one for one in FigureSet if one in chosen)

    def wants(self, figures: FigureSet) -> bool:
        """Whether what these figures need is measured."""
        return self.measure and figures in self.figures

    def limits(self) -> Limits:
        """Return what a program may take."""
        return Limits(wall_s=_WALL * self.timeout_s, cpu_s=self.timeout_s, memory_bytes=self.memory_mib * MIB)
