"""An evaluation log of Inspect as JSON: an accuracy, and the tokens that it took; no energy.

Of a log in Inspect's own compressed format ``inspect log dump LOG.eval`` makes JSON. Not yet met a real file:
the fields are those of Inspect's documented log format, version 2.
"""

from __future__ import annotations

from joulemark.bundles.foreign_file import ForeignFile, json_document
from joulemark.bundles.foreign_parts import objects, part, share_of, wrong_kind
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.published import published_row
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "Inspect"


def read_inspect(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return the row of a log that ended well; raises `InputError`."""
    document = json_document(file)
    evaluated, results = part(file, document, "eval"), part(file, document, "results")
    if not evaluated.cells or "status" not in document:
        raise wrong_kind(file, "Inspect")
    if document["status"] != "success":
        raise file.refused("status: the evaluation did not end well", "take a log whose status is success")
    model = evaluated.text("model")
    completed = results.whole("completed_samples")
    scores = objects(file, results.cells.get("scores"), "results.scores")
    found = next(((one, one["metrics"]["accuracy"]) for one in scores if _has_accuracy(one)), None)
    if found is None:
        raise file.refused("results.scores: none has an accuracy", "take a log of a scorer with accuracy")
    score, metric = found
    settings: dict[str, Setting] = {"n_samples": completed}
    if isinstance(score.get("scorer"), str):
        settings["scorer"] = ForeignRow(file.name, "results.scores", score).text("scorer")
    epochs = part(file, document, "eval", "config").optional_whole("epochs")
    if epochs not in (None, 1):
        settings["epochs"] = epochs
    usage = part(file, document, "stats", "model_usage", model)
    tokens = usage.optional_number("output_tokens", positive=False) if usage.cells else None
    return [
        published_row(
            model=model,
            task=f"inspect/{(task or evaluated.text('task')).removeprefix('inspect/')}",
            unit="request",
            energy_j=None,
            latency_s={},
            accuracy=share_of(ForeignRow(file.name, "results.scores.accuracy", metric), "value"),
            mean_completion_tokens=None if not tokens else tokens / completed / (epochs or 1),
            settings=settings,
            source=file.cited(PUBLICATION),
            licence=None,
        )
    ]


def _has_accuracy(score: object) -> bool:
    metrics = score.get("metrics") if isinstance(score, dict) else None
    return isinstance(metrics, dict) and isinstance(metrics.get("accuracy"), dict)
