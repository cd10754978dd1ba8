"""lm-evaluation-harness's ``results_….json``: accuracies by task; neither energy nor times of requests.

Not yet met a real file: the fields are those that the harness writes since 0.4.
"""

from __future__ import annotations

from joulemark.bundles.foreign_file import ForeignFile, json_document
from joulemark.bundles.foreign_parts import part, share_of, wrong_kind
from joulemark.bundles.published import published_row
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow

PUBLICATION = "lm-evaluation-harness"
METRICS = (
    "exact_match,flexible-extract",
    "exact_match,strict-match",
    "exact_match,none",
    "pass@1,create_test",
    "prompt_level_strict_acc,none",
    "acc,none",
    "acc_norm,none",
)
"""What is taken for the accuracy of a task, the first of these that it has."""


def read_lm_eval(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return a row a task that has an accuracy; ``task`` takes one of them. Raises `InputError`."""
    document = json_document(file)
    results = part(file, document, "results")
    if not results.cells or "config" not in document:
        raise wrong_kind(file, "lm-evaluation-harness")
    top, config = part(file, document), part(file, document, "config")
    model = top.text("model_name") if document.get("model_name") else config.text("model")
    wanted = None if task is None else task.removeprefix("lm-eval/")
    rows = []
    for name in results.cells:
        found = part(file, document, "results", name)
        metric = next((one for one in METRICS if found.cells.get(one) is not None), None)
        if metric is None or (wanted is not None and name != wanted):
            continue
        settings: dict[str, Setting] = {"metric": metric}
        shots = part(file, document, "n-shot").optional_number(name, positive=False)
        if shots is not None:
            settings["n_shot"] = int(shots)
        samples = part(file, document, "n-samples", name).optional_whole("effective")
        if samples is not None:
            settings["n_samples"] = samples
        if config.cells.get("limit") is not None:
            settings["limit"] = config.number("limit")
        rows.append(
            published_row(
                model=model,
                task=f"lm-eval/{name}",
                unit="request",
                energy_j=None,
                latency_s={},
                accuracy=share_of(found, metric),
                settings=settings,
                source=file.cited(PUBLICATION),
                licence=None,
            )
        )
    if not rows:
        why = "no task of it has an accuracy" if wanted is None else f"it has no accuracy of {wanted!r}"
        raise file.refused(why, f"a task with one of: {', '.join(METRICS)}")
    return rows
