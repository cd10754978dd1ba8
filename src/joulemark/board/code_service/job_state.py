"""The states of a job, and how far one is."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class JobState(StrEnum):
    """Waiting, running; then done, failed (why is said) or cancelled by its uploader."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come of the job."""
        return self not in (JobState.WAITING, JobState.RUNNING)


class Progress(BaseModel):
    """How far a job is: problems that are done, of all that are answered; zero of zero before it starts.

    ``n_samples``, ``n_foreign``: rows that are evaluated, and rows of other problems, which are left out.
    """

    model_config = ConfigDict(frozen=True)

    n_samples: int = Field(default=0, ge=0)
    n_foreign: int = Field(default=0, ge=0)
    n_problems: int = Field(default=0, ge=0)
    n_done: int = Field(default=0, ge=0)
