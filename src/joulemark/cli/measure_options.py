"""The options of a measurement, which the commands that measure share."""

from __future__ import annotations

from pathlib import Path

import click

from joulemark.cli.options import RATE_OPTIONS, FiniteRange, meters_option

ENGINE_OPTIONS = (
    click.option(
        "--engine",
        "engine_url",
        metavar="URL|auto|embedded",
        default="embedded",
        show_default=True,
        help="Who answers: the built-in llama.cpp, an engine at a URL, or the one that runs here (auto).",
    ),
    click.option(
        "--model",
        metavar="NAME|FILE",
        help="The model's name at the URL, or a GGUF file for the embedded engine (default: SmolLM2-135M).",
    ),
    click.option(
        "--api-key-env", metavar="VARIABLE", help="The environment variable that holds the API key."
    ),
)
"""Who answers."""

TASK_OPTIONS = (
    click.option(
        "--data",
        type=click.Path(path_type=Path),
        help="The items' file or folder in place of the hub's; for several tasks, a folder of them.",
    ),
    click.option("--revision", metavar="COMMIT", help="The commit of the hub's data set."),
    click.option("--split", metavar="NAME|all", help="Which split is asked; all pools them."),
    click.option(
        "--preset", metavar="NAME", help="A way of asking: default, published (5 examples), frugal-paper."
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), help="Ask only so many items (a keyed random subset)."
    ),
    click.option(
        "--subset-key", default="joulemark", show_default=True, help="The key of the random subset."
    ),
    click.option("--nonce", metavar="TEXT", help="Makes another random subset of the same key."),
    click.option(
        "--items",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Ask only the items that a file names, as `joulemark frugal choose` writes one.",
    ),
    click.option("--shots", type=click.IntRange(min=0), help="Worked examples before each question."),
)
"""What is asked."""

SAMPLING_OPTIONS = (
    click.option("--temperature", type=FiniteRange(0, 2), help="Default: the preset's, else 0."),
    click.option("--top-p", type=FiniteRange(0, 1, min_open=True), help="Default: the preset's, else 1."),
    click.option(
        "--seed", type=click.IntRange(0, 2**62), help="Sent to the engine; repeat r is asked with seed + r."
    ),
    click.option(
        "--max-tokens", type=click.IntRange(1, 10_000_000), help="Answer budget; the task's own if not given."
    ),
)
"""How answers are drawn."""

METER_OPTIONS = (
    meters_option,
    click.option(
        "--engine-pid", type=click.IntRange(1, 2**22), help="The engine's process, where it can't be found."
    ),
    click.option(
        "--board",
        "boards",
        type=click.IntRange(min=0),
        multiple=True,
        help="The GPU (its NVML index) that runs the engine, where the driver lists no processes.",
    ),
)
"""Which meters are read, and where the engine is."""

_LANGUAGE_MODEL = (
    click.option(
        "--n-ctx", type=click.IntRange(min=64), help="Context of one request (embedded engine, Ollama)."
    ),
    click.option("--threads", type=click.IntRange(min=1), help="Threads of the embedded engine."),
)

PATIENCE_OPTIONS = (
    click.option("--retries", type=click.IntRange(min=0), default=2, show_default=True),
    click.option(
        "--timeout",
        "timeout_s",
        type=FiniteRange(min=1),
        default=600.0,
        show_default=True,
        help="Seconds for one request.",
    ),
    click.option(
        "--max-temperature", type=FiniteRange(), metavar="°C", help="Pause when the device gets hotter."
    ),
)
"""How patiently an engine is asked."""

MACHINE_OPTIONS = (*METER_OPTIONS, *_LANGUAGE_MODEL, *PATIENCE_OPTIONS)
"""Which meters are read, and how patiently the engine is asked."""

RECORD_OPTIONS = (
    *RATE_OPTIONS,
    click.option(
        "--out", type=click.Path(path_type=Path), help="The run directory (default: one a configuration)."
    ),
    click.option(
        "--runs-dir",
        type=click.Path(path_type=Path),
        default=Path("joulemark-runs"),
        show_default=True,
        help="Where run directories are made.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded."),
)
"""What energy and tokens cost, and where the record goes."""
