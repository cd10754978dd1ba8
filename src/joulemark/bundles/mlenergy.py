"""ML.ENERGY's published results: which of its files a file is, and the rows of it.

Three iterations of the benchmark asked different questions with different engines, so the iteration is part
of a task's name: ``chat`` (early 2025, the paper), ``v3/lm-arena-chat`` (December 2025), ``v1/chat`` (2023).
Source: the ML.ENERGY Benchmark, arXiv 2505.06371.
"""

from __future__ import annotations

import math

from joulemark.bundles.foreign_file import ForeignFile, csv_rows, json_document
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.bundles.mlenergy_leaderboard import leaderboard_rows
from joulemark.bundles.mlenergy_run import is_run, run_row
from joulemark.bundles.published import LITTLE, little_tpot_s, published_row, refuse_repeated
from joulemark.metrics.setup import Setting
from joulemark.record.published import PublishedRow, Unit

LICENCE = "Apache-2.0"
PAPER = "ML.ENERGY Benchmark, early 2025 (arXiv 2505.06371)"
ITERATION_TPOT = (
    "; tpot_iteration_mean = the file's own `Avg TPOT`: the mean over iterations of each iteration's mean"
)
_TEXT_COLUMNS = (
    "Model",
    "GPU",
    "TP",
    "PP",
    "Energy/req (J)",
    "Avg TPOT (s)",
    "Token tput (tok/s)",
    "Avg Output Tokens",
    "Avg BS (reqs)",
    "Max BS (reqs)",
)
_LITTLE_COLUMN = "derived: TPOT_littles_law (s)"
_POWER_COLUMN = "derived: avg power (W, all GPUs)"
DERIVED_APART = 0.01
"""How far a derived column may be off what the others come to."""
_MEDIA_COLUMNS = ("Model", "GPU", "Batch latency (s)", "Batch size", "Denoising steps")
_ENERGY_OF_MEDIA: dict[str, Unit] = {"Energy/image (J)": "image", "Energy/video (J)": "video"}
_TASKS = {
    "llm_text_generation__chat": "chat",
    "llm_text_generation__code": "code",
    "mllm_text_generation__chat": "visual-chat",
    "diffusion__text-to-image": "text-to-image",
    "diffusion__text-to-video": "text-to-video",
    "diffusion__image-to-video": "image-to-video",
}
_TASKS_OF_UNIT: dict[Unit, tuple[str, ...]] = {
    "request": ("chat", "code", "visual-chat"),
    "image": ("text-to-image",),
    "video": ("text-to-video", "image-to-video"),
}


def read_mlenergy(file: ForeignFile, task: str | None) -> list[PublishedRow]:
    """Return the rows of a CSV file of early 2025, of a leaderboard task file or of a run's ``results.json``.

    ``task`` names the task where neither the file's name nor its columns do. Raises `InputError`.
    """
    if file.is_json:
        document = json_document(file)
        if is_run(document):
            return [run_row(file, document, task)]
        return leaderboard_rows(file, document, task)
    rows = csv_rows(file)
    columns = rows[0].cells.keys()
    media = next((name for name in _ENERGY_OF_MEDIA if name in columns), None)
    if media is None:
        _require(file, columns, _TEXT_COLUMNS)
        named = _task_of(file, "request", task)
        made = [(row, _text_row(row, file, named)) for row in rows]
        return refuse_repeated(made, "Model, GPU, TP, PP, Max BS")
    unit = _ENERGY_OF_MEDIA[media]
    _require(file, columns, _MEDIA_COLUMNS)
    named = _task_of(file, unit, task)
    made = [(row, _media_row(row, file, named, media, unit)) for row in rows]
    return refuse_repeated(made, "Model, GPU, Batch size, Denoising steps, Frames")


def _text_row(row: ForeignRow, file: ForeignFile, task: str) -> PublishedRow:
    tensor, pipeline = row.whole("TP"), row.whole("PP")
    energy_j = row.number("Energy/req (J)", positive=False)
    tokens_per_s = row.number("Token tput (tok/s)")
    tokens = row.number("Avg Output Tokens")
    batch = row.number("Avg BS (reqs)")
    tpot_s = row.derived("Token tput (tok/s)", little_tpot_s(batch, tokens_per_s))
    mean_power_w = row.derived("Energy/req (J)", energy_j / tokens * tokens_per_s)
    _require_agreement(row, _LITTLE_COLUMN, tpot_s, "`Avg BS (reqs)` / `Token tput (tok/s)`")
    if energy_j:  # zero joules are nobody's measurement, and become a null
        of_energy = "`Energy/req (J)` / `Avg Output Tokens` × `Token tput (tok/s)`"
        _require_agreement(row, _POWER_COLUMN, mean_power_w, of_energy)
    latency_s = {"tpot_mean": tpot_s, "e2el_mean": row.derived("Avg Output Tokens", tpot_s * tokens)}
    iteration_s = row.optional_number("Avg TPOT (s)")
    if iteration_s is not None:
        latency_s["tpot_iteration_mean"] = iteration_s
    return published_row(
        model=row.text("Model"),
        device=row.text("GPU"),
        n_devices=tensor * pipeline,
        task=task,
        unit="request",
        energy_j=energy_j,
        latency_s=latency_s,
        tpot_definition=LITTLE + ITERATION_TPOT,
        tokens_per_second=tokens_per_s,
        mean_completion_tokens=tokens,
        mean_batch=batch,
        mean_power_w=mean_power_w,
        settings={
            "max_batch": row.whole("Max BS (reqs)"),
            "tensor_parallel": tensor,
            "pipeline_parallel": pipeline,
        },
        source=file.cited(PAPER),
        licence=LICENCE,
    )


def _require_agreement(row: ForeignRow, column: str, found: float, formula: str) -> None:
    """Raise `InputError` where a derived column is there and is not what the row's other cells come to."""
    told = row.optional_number(column)
    if told is not None and not math.isclose(found, told, rel_tol=DERIVED_APART):
        raise row.refused(column, f"it is {told:.6g}, and {formula} comes to {found:.6g}")


def _media_row(row: ForeignRow, file: ForeignFile, task: str, energy: str, unit: Unit) -> PublishedRow:
    batch = row.whole("Batch size")
    energy_j = row.number(energy, positive=False)
    latency_s = row.number("Batch latency (s)")
    settings: dict[str, Setting] = {"max_batch": batch, "denoising_steps": row.whole("Denoising steps")}
    frames = row.optional_whole("Frames")
    if frames is not None:
        settings["frames"] = frames
    return published_row(
        model=row.text("Model"),
        device=row.text("GPU"),
        n_devices=1,
        task=task,
        unit=unit,
        energy_j=energy_j,
        latency_s={"e2el_mean": latency_s},
        mean_batch=float(batch),
        mean_power_w=row.derived("Batch latency (s)", energy_j * batch / latency_s),
        settings=settings,
        source=file.cited(PAPER),
        licence=LICENCE,
    )


def _require(file: ForeignFile, columns: object, wanted: tuple[str, ...]) -> None:
    absent = [name for name in wanted if name not in columns]  # type: ignore[operator]
    if absent:
        why = f"line 1: it has no column {', '.join(repr(name) for name in absent)}"
        fix = "take the CSV as it was published; `joulemark import --help` names the kinds of files"
        raise file.refused(why, fix)


def _task_of(file: ForeignFile, unit: Unit, task: str | None) -> str:
    """Return the task: the one that was named, else what the file's name says, else the only one."""
    possible = _TASKS_OF_UNIT[unit]
    if task is None:
        said = next((task for stem, task in _TASKS.items() if file.stem.startswith(stem)), None)
        if said in possible:
            return said
        if len(possible) == 1:
            return possible[0]
        why = f"neither its name nor its columns say which task it is of: {', '.join(possible)}"
        raise file.refused(why, f"name it: --task {possible[0]}")
    if task not in possible:
        why = f"its columns are of energy per {unit}, which {task!r} is not"
        raise file.refused(why, f"--task {possible[0]}, or leave it out")
    return task
