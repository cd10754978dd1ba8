"""What an uploader chooses: checked at the edge, the same for the form, the API and the worker."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.problems.registry import BUILT_IN

_MEMORY_MIB = 1024


class Measured(StrEnum):
    """What is measured beside right and wrong."""

    ALL = "all"
    PAPER = "paper"
    CORRECTED = "corrected"
    NOTHING = "nothing"


def _names_nothing_else(name: str) -> str:
    """Refuse what could be a path to somewhere else."""
    if ".." in name or "//" in name:
        raise ValueError("it has no '..' and no '//'")
    return name


# begins with a letter or a digit: no path, no formula of a spreadsheet, no markup
ModelName = Annotated[
    str,
    Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._:+/@()-]*$"),
    AfterValidator(_names_nothing_else),
]
DatasetName = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class JobOptions(BaseModel):
    """The options of one evaluation.

    ``model``: whose programs these are, as the list shows it. ``timeout_s``: CPU time of one call, in
    seconds. ``n_tests``: tests a problem. ``repeats``: runs of all tests in one process, of which ET, MU and
    TMU are means. ``measured``: `Measured`; `nothing` says right or wrong alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: ModelName
    dataset: DatasetName = BUILT_IN
    timeout_s: float = Field(default=10.0, ge=0.5, le=30, allow_inf_nan=False)
    n_tests: int = Field(default=100, ge=1, le=1000)
    repeats: int = Field(default=1, ge=1, le=5)
    measured: Measured = Measured.ALL

    def settings(self) -> Settings:
        """Return how the evaluation is made."""
        figures = {
            Measured.PAPER: (FigureSet.PAPER,),
            Measured.CORRECTED: (FigureSet.CORRECTED,),
        }.get(self.measured, tuple(FigureSet))
        return Settings(
            n_tests=self.n_tests,
            timeout_s=self.timeout_s,
            memory_mib=_MEMORY_MIB,
            whole_repeats=self.repeats,
            measure=self.measured is not Measured.NOTHING,
            figures=figures,
        )
