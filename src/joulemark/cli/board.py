"""``joulemark board``: a leaderboard of submitted runs, served or built."""

from __future__ import annotations

import click

from joulemark.cli.__main__ import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_at={
        "build": ("joulemark.cli.board_build:build", "Write a whole board as files, without a server"),
        "rebuild": ("joulemark.cli.board_rebuild:rebuild", "Make all rows of a leaderboard anew"),
        "serve": ("joulemark.cli.board_serve:serve", "Serve a board: submissions, leaderboard, picker"),
        "import": ("joulemark.cli.board_import:import_", "Show rows that others published"),
        "seed": ("joulemark.cli.board_import:seed", "Fill a new board with bundles and published rows"),
        "worker": (
            "joulemark.cli.board_worker:worker",
            "Evaluate the programs that were uploaded to a board",
        ),
        "keys": ("joulemark.cli.board_keys:keys", "Keys of moderators and submitters: add, list, revoke"),
    },
)
def board() -> None:
    """A board: others submit their runs to it, and it shows what a correct answer costs."""
