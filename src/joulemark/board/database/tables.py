"""The tables of a board. Every change to them is a migration (``migrations/versions``).

Times are UTC, stored as ISO 8601 text with microseconds, so that both databases sort and show them alike.
Documents are JSON. What is derived from a bundle can be made again from it; the bundle is the truth.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

DIGEST = String(64)
TIME = String(32)

submissions = Table(
    "submissions",
    metadata,
    Column("digest", DIGEST, primary_key=True),
    Column("received_at", TIME, nullable=False),
    Column("signer", String(64), nullable=False),
    Column("run_id", String(64), nullable=False),
    Column("status", String(16), nullable=False),  # accepted, quarantined, rejected, withdrawn
    Column("rung", Integer, nullable=False),
    Column("grounds", JSON, nullable=False),  # [{code, why}]
    Column("size_bytes", Integer, nullable=False),
    Column("joulemark_version", String(32)),
    Column("challenge_passed", Boolean, nullable=False, default=False),
    Column("reproduced_by", DIGEST),
    Column("audited", Boolean, nullable=False, default=False),
    Column("nonce_fresh", Boolean, nullable=False, default=False),
    Index(None, "status", "received_at"),
    Index(None, "signer"),
    Index(None, "run_id"),
)
"""One row a bundle that verified. ``rung`` is of `joulemark.board.judging.Rung`."""

bundles = Table(
    "bundles",
    metadata,
    Column("digest", DIGEST, ForeignKey("submissions.digest", ondelete="CASCADE"), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""The bytes, apart from their row so that a scan of submissions reads none; gone when withdrawn."""

runs = Table(
    "runs",
    metadata,
    Column("digest", DIGEST, ForeignKey("submissions.digest", ondelete="CASCADE"), primary_key=True),
    Column("configuration", DIGEST, nullable=False),
    Column("device", String(120)),
    Column("model", String(200), nullable=False),
    Column("measured_at", TIME),
    Column("facts", JSON, nullable=False),  # judging.RunFacts
    Column("figures", JSON, nullable=False),  # bundles.submission.stated.stated_figures, recomputed
    Column("candidate", JSON),  # metrics.picking.Candidate, null where it cannot price
    Index(None, "configuration"),
    Index(None, "device", "model"),
)
"""What was recomputed of a submission that is not refused."""

run_marks = Table(
    "run_marks",
    metadata,
    Column("digest", DIGEST, ForeignKey("submissions.digest", ondelete="CASCADE"), primary_key=True),
    Column("mark", BigInteger, primary_key=True),
    Index(None, "mark"),
)
"""The marks of a run's telemetry and timings, by which a copy of it is found; they outlive a withdrawal."""

configurations = Table(
    "configurations",
    metadata,
    Column("id", DIGEST, primary_key=True),
    Column("kind", String(16), nullable=False),  # measured, published, simulated
    Column("row", JSON, nullable=False),  # standing.BoardRow
    Column("candidate", JSON),  # of the run that stands for it
    Column("n_runs", Integer, nullable=False),
    Column("joules_per_correct", Float),
    Column("updated_at", TIME, nullable=False),
)
"""What the leaderboard shows, kept on ingest: one row a configuration, made of its accepted runs alone."""

board_state = Table(
    "board_state",
    metadata,
    Column("id", Integer, primary_key=True),  # always 1
    Column("version", Integer, nullable=False),
)
"""Counts up in every transaction that changes what readers see; a reader's copy is good until it does."""

published_rows = Table(
    "published_rows",
    metadata,
    Column("id", DIGEST, primary_key=True),  # of the row's canonical JSON
    Column("imported_at", TIME, nullable=False),
    Column("source", Text, nullable=False),
    Column("row", JSON, nullable=False),  # record.PublishedRow
    Index(None, "source"),
)

nonces = Table(
    "nonces",
    metadata,
    Column("nonce", String(64), primary_key=True),
    Column("issued_at", TIME, nullable=False),
    Column("expires_at", TIME, nullable=False),
    Column("task", String(120)),
    Column("used_by", DIGEST),
)

challenges = Table(
    "challenges",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("digest", DIGEST, ForeignKey("submissions.digest", ondelete="CASCADE"), nullable=False),
    Column("issued_at", TIME, nullable=False),
    Column("due_at", TIME, nullable=False),
    Column("asked", JSON, nullable=False),  # [{item_id, repeat}]
    Column("state", String(16), nullable=False),  # open, passed, failed, lapsed
    Column("closed_at", TIME),
    Column("finding", JSON),
    Index(None, "digest"),
)

appeals = Table(
    "appeals",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("digest", DIGEST, ForeignKey("submissions.digest", ondelete="CASCADE"), nullable=False),
    Column("at", TIME, nullable=False),
    Column("words", Text, nullable=False),
    Column("is_signed", Boolean, nullable=False),  # by the key that signed the bundle
    Column("state", String(16), nullable=False),  # open, granted, denied
    Column("decision", Text),
    Column("decided_at", TIME),
    Index(None, "state", "at"),
)

access_keys = Table(
    "access_keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(80), nullable=False),
    Column("role", String(16), nullable=False),  # moderator, submitter
    Column("key_hash", String(64), nullable=False, unique=True),
    Column("created_at", TIME, nullable=False),
    Column("revoked_at", TIME),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", TIME, nullable=False),
    Column("actor", String(80), nullable=False),
    Column("action", String(40), nullable=False),
    Column("subject", String(80), nullable=False),
    Column("details", JSON, nullable=False),
    Index(None, "subject"),
)
"""What was done to what, by whom: only ever appended to."""

code_jobs = Table(
    "code_jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created_at", TIME, nullable=False),
    Column("state", String(16), nullable=False),  # waiting, running, done, failed, cancelled
    Column("model", String(120), nullable=False),
    Column("dataset", String(80), nullable=False),
    Column("options", JSON, nullable=False),  # code_service.JobOptions
    Column("request_digest", DIGEST, nullable=False),  # of options and upload
    Column("secret_hash", DIGEST, nullable=False),
    Column("progress", JSON, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("worker", String(80)),
    Column("beat_at", TIME),  # a worker that no longer beats has lost its job
    Column("finished_at", TIME),
    Column("standing", JSON),  # code_service.CodeStanding, once done
    Column("why", Text),
    Index(None, "state", "created_at"),
)

code_uploads = Table(
    "code_uploads",
    metadata,
    Column("id", String(32), ForeignKey("code_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""The programs of a job that waits or runs; gone when it has ended."""

code_results = Table(
    "code_results",
    metadata,
    Column("id", String(32), ForeignKey("code_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("result", JSON, nullable=False),  # what everyone may read
    Column("files", LargeBinary),  # a zip of raw runs and programs, for the uploader alone
)

code_datasets = Table(
    "code_datasets",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("title", Text, nullable=False),
    Column("revision", DIGEST, nullable=False),
    Column("problems", JSON, nullable=False),  # ids
    Column("seen_at", TIME, nullable=False),
)
"""What workers have on their disks: a data set is offered while one of them says so."""

model_requests = Table(
    "model_requests",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("at", TIME, nullable=False),
    Column("model", String(120), nullable=False),
    Column("dataset", String(80)),
    Column("words", Text, nullable=False),
    Column("contact", String(200), nullable=False),
    Column("state", String(16), nullable=False),  # open, taken, declined
    Column("decided_at", TIME),
    Index(None, "state", "at"),
)
"""Wishes that a model be evaluated; a person decides, nothing is spent by itself."""
