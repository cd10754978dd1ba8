"""Many made-up runs in a board's tables, each varied from a few bundles that the board verified itself."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Engine

from doubles import priced_boards
from joulemark.board.database.times import utc_in
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined
from joulemark.board.standing.configuration import ONE_AT_A_TIME, table_of
from joulemark.board.standing.figure_names import OF_ENERGY

DEVICES = (
    "NVIDIA H100 80GB HBM3",
    "NVIDIA A100-SXM4-40GB",
    "NVIDIA L40S",
    "NVIDIA RTX 4090",
    "NVIDIA B200",
    "AMD Instinct MI300X",
    "NVIDIA L4",
    "NVIDIA RTX 3090",
    "NVIDIA GH200",
    "NVIDIA RTX 6000",
    "NVIDIA A10",
    "NVIDIA T4",
)
TASKS = ("gsm8k", "humaneval", "mmlu", "arc", "truthfulqa", "ifeval", "math", "gpqa")
MARKS = 8  # a run; a real one has some forty
_INVERSE = frozenset({"ipj", "accuracy_per_watt"})
_VARIANTS = 5  # of a configuration's runs
_SUBMISSIONS = (
    "digest, received_at, signer, run_id, status, rung, grounds, size_bytes, joulemark_version, "
    "challenge_passed, audited, nonce_fresh"
)
_RUNS = "digest, configuration, device, model, measured_at, facts, figures, candidate"


@dataclass(frozen=True)
class Made:
    """A configuration: its id, what its runs share, and their documents as JSON texts, one a variant."""

    id: str
    device: str
    model: str
    documents: tuple[tuple[str, str, str], ...]


def templates(n: int = 6) -> list[Examined]:
    """Return what the board makes of a few bundles."""
    found = [examine(priced_boards.bundle(number)) for number in range(n)]
    assert all(isinstance(one, Examined) for one in found)
    return found  # type: ignore[return-value]


def configuration(number: int, like: Sequence[Examined]) -> Made:
    """Return the runs of one configuration: another model, device, task and cost."""
    rng = np.random.default_rng(number)
    source = like[number % len(like)]
    device, task = DEVICES[number % len(DEVICES)], TASKS[(number // len(DEVICES)) % len(TASKS)]
    model = f"org/model-{number // (len(DEVICES) * len(TASKS)):02d}-{number % 7}b"
    factor = float(rng.lognormal(0.0, 0.8))
    made = hashlib.sha256(f"configuration {number}".encode()).hexdigest()
    table = table_of(
        kind="measured",
        tier="C",
        scope="gpu",
        task=task,
        questions="0123456789ab",
        unit="request",
        load=ONE_AT_A_TIME,
    )
    named = {"model": model, "task": task, "questions": "0123456789ab", "tier": "C", "scope": "gpu"}
    documents = []
    for _ in range(_VARIANTS):
        scale = factor * float(rng.normal(1.0, 0.02))
        figures = json.loads(json.dumps(dict(source.columns.figures)))
        row = figures["row"]
        row.update(named, id=made, hardware=device, table=table)
        for name in OF_ENERGY:
            _scaled(row["figures"].get(name, {}), 1 / scale if name in _INVERSE else scale)
        candidate = json.loads(json.dumps(dict(source.candidate or {})))
        candidate["point"].update(named, device=device, label=f"{device}, {number}")
        _scaled_model(candidate["model"], scale)
        facts = {**source.facts.to_json(), "model": model, "device": device}
        documents.append(tuple(json.dumps(one) for one in (facts, figures, candidate)))
    return Made(made, device, model, tuple(documents))  # type: ignore[arg-type]


def _scaled(figure: dict[str, Any], factor: float) -> None:
    for name in ("value", "lo", "hi"):
        if isinstance(figure.get(name), float):
            figure[name] *= factor


def _scaled_model(model: dict[str, Any], factor: float) -> None:
    for name in ("e_fixed_j", "alpha_j_per_token", "beta_j_per_token", "residual_sd_j"):
        if model.get(name) is not None:
            model[name] *= factor
    if model.get("covariance"):
        model["covariance"] = [[x * factor * factor for x in row] for row in model["covariance"]]


def fill(engine: Engine, n_runs: int, n_configurations: int) -> None:
    """Load so many runs, in bulk: their submissions, what was recomputed of them, and marks."""
    like, each = templates(), n_runs // n_configurations
    for start in range(0, n_configurations, 50):
        some = [configuration(k, like) for k in range(start, min(start + 50, n_configurations))]
        runs = [
            (one, k, hashlib.sha256(f"{one.id} {k}".encode()).hexdigest())
            for one in some
            for k in range(each)
        ]
        _copy(engine, "submissions", _SUBMISSIONS, (_submission(d, k) for _, k, d in runs))
        _copy(engine, "runs", _RUNS, (_run(one, d, k) for one, k, d in runs))
        rng = np.random.default_rng(start)
        marks = rng.integers(-(2**62), 2**62, (len(runs), MARKS)).tolist()
        rows = ([d, mark] for (_, _, d), row in zip(runs, marks, strict=True) for mark in row)
        _copy(engine, "run_marks", "digest, mark", rows)
    with engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE")


def _submission(digest: str, k: int) -> list[Any]:
    at, signer = utc_in(-86400.0 * (2 + k)), f"{k % 17:064x}"
    more = [2 + k % 3, "[]", 9000, "0.1.0", k % 3 > 0, False, False]
    return [digest, at, signer, digest[:32], "accepted", *more]


def _run(one: Made, digest: str, k: int) -> list[Any]:
    at = utc_in(-86400.0 * (3 + k))
    return [digest, one.id, one.device, one.model, at, *one.documents[k % _VARIANTS]]


def _copy(engine: Engine, table: str, columns: str, rows: Iterator[list[Any]]) -> None:
    """Load rows as PostgreSQL's COPY does, which `INSERT` of as many would take minutes for."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        copied = f"COPY {table} ({columns}) FROM STDIN WITH (FORMAT csv)"
        cursor.execute(copied, stream=io.BytesIO(text.getvalue().encode()))
        connection.commit()
    finally:
        connection.close()
