"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "access_keys",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("revoked_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_access_keys_key_hash")),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=80), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_log_subject"), ["subject"], unique=False)

    op.create_table(
        "board_state",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_state")),
    )
    op.execute("INSERT INTO board_state (id, version) VALUES (1, 1)")
    op.create_table(
        "code_jobs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=80), nullable=True),
        sa.Column("beat_at", sa.String(length=32), nullable=True),
        sa.Column("finished_at", sa.String(length=32), nullable=True),
        sa.Column("standing", sa.JSON(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_code_jobs")),
    )
    with op.batch_alter_table("code_jobs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_code_jobs_state_created_at"), ["state", "created_at"], unique=False
        )

    op.create_table(
        "code_uploads",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["id"], ["code_jobs.id"], name=op.f("fk_code_uploads_id_code_jobs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_code_uploads")),
    )
    op.create_table(
        "code_results",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("files", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["id"], ["code_jobs.id"], name=op.f("fk_code_results_id_code_jobs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_code_results")),
    )
    op.create_table(
        "code_datasets",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("revision", sa.String(length=64), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("seen_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_code_datasets")),
    )
    op.create_table(
        "model_requests",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("contact", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("decided_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_requests")),
    )
    with op.batch_alter_table("model_requests", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_model_requests_state_at"), ["state", "at"], unique=False)

    op.create_table(
        "configurations",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("row", sa.JSON(), nullable=False),
        sa.Column("candidate", sa.JSON(), nullable=True),
        sa.Column("n_runs", sa.Integer(), nullable=False),
        sa.Column("joules_per_correct", sa.Float(), nullable=True),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configurations")),
    )
    op.create_table(
        "nonces",
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("issued_at", sa.String(length=32), nullable=False),
        sa.Column("expires_at", sa.String(length=32), nullable=False),
        sa.Column("task", sa.String(length=120), nullable=True),
        sa.Column("used_by", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("nonce", name=op.f("pk_nonces")),
    )
    op.create_table(
        "published_rows",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("imported_at", sa.String(length=32), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("row", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published_rows")),
    )
    with op.batch_alter_table("published_rows", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_published_rows_source"), ["source"], unique=False)

    op.create_table(
        "submissions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.String(length=32), nullable=False),
        sa.Column("signer", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("rung", sa.Integer(), nullable=False),
        sa.Column("grounds", sa.JSON(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("joulemark_version", sa.String(length=32), nullable=True),
        sa.Column("challenge_passed", sa.Boolean(), nullable=False),
        sa.Column("reproduced_by", sa.String(length=64), nullable=True),
        sa.Column("audited", sa.Boolean(), nullable=False),
        sa.Column("nonce_fresh", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_submissions")),
    )
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submissions_run_id"), ["run_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_submissions_signer"), ["signer"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_submissions_status_received_at"), ["status", "received_at"], unique=False
        )

    op.create_table(
        "appeals",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("is_signed", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["digest"], ["submissions.digest"], name=op.f("fk_appeals_digest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appeals")),
    )
    with op.batch_alter_table("appeals", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_appeals_state_at"), ["state", "at"], unique=False)

    op.create_table(
        "bundles",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"], ["submissions.digest"], name=op.f("fk_bundles_digest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_bundles")),
    )
    op.create_table(
        "challenges",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("issued_at", sa.String(length=32), nullable=False),
        sa.Column("due_at", sa.String(length=32), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("closed_at", sa.String(length=32), nullable=True),
        sa.Column("finding", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["digest"], ["submissions.digest"], name=op.f("fk_challenges_digest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenges")),
    )
    with op.batch_alter_table("challenges", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_challenges_digest"), ["digest"], unique=False)

    op.create_table(
        "run_marks",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("mark", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"], ["submissions.digest"], name=op.f("fk_run_marks_digest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", "mark", name=op.f("pk_run_marks")),
    )
    with op.batch_alter_table("run_marks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_run_marks_mark"), ["mark"], unique=False)

    op.create_table(
        "runs",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("configuration", sa.String(length=64), nullable=False),
        sa.Column("device", sa.String(length=120), nullable=True),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("measured_at", sa.String(length=32), nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("candidate", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["digest"], ["submissions.digest"], name=op.f("fk_runs_digest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_runs")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_runs_configuration"), ["configuration"], unique=False)
        batch_op.create_index(batch_op.f("ix_runs_device_model"), ["device", "model"], unique=False)


def downgrade() -> None:
    """Take back."""
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_runs_device_model"))
        batch_op.drop_index(batch_op.f("ix_runs_configuration"))

    op.drop_table("runs")
    with op.batch_alter_table("run_marks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_run_marks_mark"))

    op.drop_table("run_marks")
    with op.batch_alter_table("challenges", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_challenges_digest"))

    op.drop_table("challenges")
    op.drop_table("bundles")
    with op.batch_alter_table("appeals", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_appeals_state_at"))

    op.drop_table("appeals")
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_submissions_status_received_at"))
        batch_op.drop_index(batch_op.f("ix_submissions_signer"))
        batch_op.drop_index(batch_op.f("ix_submissions_run_id"))

    op.drop_table("submissions")
    with op.batch_alter_table("published_rows", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_published_rows_source"))

    op.drop_table("published_rows")
    op.drop_table("nonces")
    op.drop_table("configurations")
    with op.batch_alter_table("model_requests", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_model_requests_state_at"))

    op.drop_table("model_requests")
    op.drop_table("code_datasets")
    op.drop_table("code_results")
    op.drop_table("code_uploads")
    with op.batch_alter_table("code_jobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_code_jobs_state_created_at"))

    op.drop_table("code_jobs")
    op.drop_table("board_state")
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_log_subject"))

    op.drop_table("audit_log")
    op.drop_table("access_keys")
