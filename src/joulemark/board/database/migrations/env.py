"""What Alembic runs to migrate a board's database; only ever called by `joulemark.board.database.upgrade`."""

from __future__ import annotations

from alembic import context

from joulemark.board.database.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
