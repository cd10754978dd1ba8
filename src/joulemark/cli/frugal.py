"""``joulemark frugal``: how few questions are enough."""

from __future__ import annotations

import click

from joulemark.cli.frugal_cutoff import cutoff
from joulemark.cli.frugal_estimate import choose, estimate
from joulemark.cli.frugal_plan import plan
from joulemark.cli.frugal_rank import rank


@click.group()
def frugal() -> None:
    """How few questions are enough, and what that says: the published cut-off beside the truth."""


frugal.add_command(plan)
frugal.add_command(choose)
frugal.add_command(estimate)
frugal.add_command(rank)
frugal.add_command(cutoff)
