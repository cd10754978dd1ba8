"""The ML.ENERGY leaderboard of 2023 (v1): one request at a time, and the models' scores beside it."""

from __future__ import annotations

import re

from joulemark.bundles.foreign_file import ForeignFile, csv_rows, read_foreign
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import LITTLE, little_tpot_s, published_row, refuse_repeated
from joulemark.record.published import PublishedRow

LICENCE = "Apache-2.0"
PUBLICATION = "ML.ENERGY Leaderboard 2023 (v1)"
SCORES = "score.csv"
BENCHMARK = "arc"
"""Which of the published scores is the accuracy: ARC challenge, multiple choice."""
_COLUMNS = ("model", "throughput", "response_length", "latency", "energy")
_NAME = re.compile(r"([A-Z]+[0-9]+)_(.+)_benchmark")


def read_mlenergy_v1(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return the rows of ``GPU_TASK_benchmark.csv``; raises `InputError`.

    ``score.csv`` in the same folder gives each model's accuracy on other questions than those whose energy
    was measured; ``accuracy_of`` in the settings says so. A model that is not in it has none.
    """
    named = _NAME.fullmatch(file.stem)
    if named is None:
        why = "its name is not GPU_TASK_benchmark.csv, which is where GPU and task stand"
        raise file.refused(why, "name a file like A100_chat_benchmark.csv")
    rows = csv_rows(file)
    absent = [name for name in _COLUMNS if name not in rows[0].cells]
    if absent:
        raise file.refused(f"line 1: it has no column {', '.join(map(repr, absent))}", "take it as published")
    said = f"v1/{(task or named[2]).removeprefix('v1/')}"
    scores = _scores(file)
    made = [(row, _row(row, file, named[1], said, scores)) for row in rows]
    return refuse_repeated(made, "model")


def _row(
    row: ForeignRow, file: ForeignFile, device: str, task: str, scores: dict[str, float]
) -> PublishedRow:
    model = row.text("model")
    energy_j, latency_s = row.number("energy", positive=False), row.number("latency")
    tokens_per_s = row.number("throughput")
    accuracy = scores.get(model)
    tpot_s = row.derived("throughput", little_tpot_s(1.0, tokens_per_s))
    return published_row(
        model=model,
        device=device,
        n_devices=1,
        task=task,
        unit="request",
        energy_j=energy_j,
        latency_s={
            "tpot_mean": tpot_s,
            "e2el_mean": latency_s,
        },
        tpot_definition=LITTLE.partition(";")[0] + " with a batch of 1; e2el_mean is as published",
        tokens_per_second=tokens_per_s,
        mean_completion_tokens=row.number("response_length"),
        mean_batch=1.0,
        mean_power_w=row.derived("latency", energy_j / latency_s),
        accuracy=accuracy,
        settings={"max_batch": 1, **({} if accuracy is None else {"accuracy_of": BENCHMARK})},
        source=file.cited(PUBLICATION),
        licence=LICENCE,
    )


def _scores(file: ForeignFile) -> dict[str, float]:
    """Return each model's accuracy (0..1) where ``score.csv`` lies beside the file."""
    path = file.folder / SCORES
    if not path.is_file():
        return {}
    found: dict[str, float] = {}
    for row in csv_rows(read_foreign(path)):
        percent = row.number(BENCHMARK, positive=False)
        if percent > 100:
            raise row.refused(BENCHMARK, f"{percent:g} is more than 100 %")
        found[row.text("model")] = percent / 100
    return found
