"""``joulemark import``: results that others published, as rows to choose among."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.record.published import PublishedRow


@click.command(name="import")
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--into", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where the rows are stored."
)
@click.option("--task", help="The task, where neither the file's name nor its columns say it.")
@click.option("--replace", is_flag=True, help="Take the place of rows from an older version of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print what was imported as JSON.")
def import_(
    kind: str, files: tuple[Path, ...], into: Path, task: str | None, replace: bool, as_json: bool
) -> None:
    """Read FILE of a KIND and store its rows in DIR, for `joulemark recommend DIR`.

    \b
    KIND is one of
      mlenergy     ML.ENERGY: a CSV of early 2025, a task file of the v3 leaderboard, a run's results.json
      mlenergy-v1  ML.ENERGY 2023: GPU_TASK_benchmark.csv with score.csv beside it
      vllm-bench   vLLM: the JSON of `vllm bench serve --save-result`
      guidellm     GuideLLM: benchmarks.json
      aiperf       AIPerf: profile_export_aiperf.json
      llama-bench  llama.cpp: `llama-bench -o json` or `-o jsonl`
      lm-eval      lm-evaluation-harness: results_….json
      inspect      Inspect: a log as JSON (`inspect log dump LOG.eval`)

    What is published has the lowest trust: it is never ranked with measured runs unless told. The same file
    again changes nothing.
    """
    import orjson

    from joulemark.bundles.kinds import import_file
    from joulemark.bundles.published import n_without_energy
    from joulemark.bundles.store import stored_files

    done = [(path, import_file(kind, path, into, task=task, replace=replace)) for path in files]
    if as_json:
        document = [
            {
                "file": str(path),
                "stored": str(stored.path),
                "state": stored.state,
                "n_rows": len(stored.rows),
                "n_zero_energy": n_without_energy(stored.rows),
                "task": stored.rows[0].task,
                "unit": stored.rows[0].unit,
                "models": sorted({row.model for row in stored.rows}),
                "devices": sorted({row.device for row in stored.rows if row.device is not None}),
                "tpot_definition": stored.rows[0].tpot_definition,
                "source": stored.rows[0].source,
                "licence": stored.rows[0].licence,
                "replaced": [str(old) for old in stored.replaced],
            }
            for path, stored in done
        ]
        shown = document[0] if len(document) == 1 else document
        click.echo(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    for path, stored in done:
        rows = stored.rows
        models = len({row.model for row in rows})
        click.echo(
            f"{path.name}: {len(rows)} rows of {models} models, task {rows[0].task}: {stored.state}, "
            f"in {stored.path}"
        )
        zeros = n_without_energy(rows)
        if zeros:
            click.echo(f"note: {zeros} of them were published with 0 J, so their energy is not known")
    rows_of: dict[str, Sequence[PublishedRow]] = {}
    for _, stored in done:
        rows_of.setdefault(stored.rows[0].task, stored.rows)
    several = len(stored_files(into)) > 1
    for of_task in rows_of.values():
        click.echo(f"next: {_next(into, of_task, several=several)}")


def _next(into: Path, rows: Sequence[PublishedRow], *, several: bool) -> str:
    """Return a command that chooses among rows of one task: its model of the most rows, a limit of its use.

    ``several``: the folder may hold other tasks, so that it has to be named.
    """
    from joulemark.metrics.presets import PRESETS
    from joulemark.metrics.published_points import published_point
    from joulemark.record.manifest import Rates

    point = published_point(rows[0], Rates())
    limit = next((one.limit for one in PRESETS.values() if one.of([point])), PRESETS["chat"].limit)
    bound = f"--max-latency {limit.bound:g}s"
    if limit.name == "tpot_mean":
        bound = f"--max-tpot {limit.bound * 1e3:g}ms"
    model = Counter(row.model for row in rows).most_common(1)[0][0]
    task = f" --task {shlex.quote(point.task)}" if several else ""
    return f"joulemark recommend {shlex.quote(str(into))}{task} --model {shlex.quote(model)} {bound}"
