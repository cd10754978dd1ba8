"""``joulemark task extract``: what the extraction rules find in recorded replies, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.tasks.scorers.recorded import Recorded
    from joulemark.tasks.task import Score

_KINDS = ("numeric", "choice", "math", "text", "label", "line")
_HEADINGS = ("id", "verdict", "rule", "span", "value")
_WIDTHS = (20, 9, 9, 15, 0)
_LONGEST_VALUE = 60


@click.command()
@click.argument("file", type=click.Path())
@click.option("--kind", type=click.Choice(_KINDS), required=True, help="What the answers are.")
@click.option("--json", "as_json", is_flag=True, help="One object a line: id, value, verdict, rule, span.")
def extract(file: str, kind: str, as_json: bool) -> None:
    """Show which answer is found in each reply of a JSONL FILE (- for standard input), and its verdict.

    A line holds id, completion and gold (null: no answer is right), and may hold choices (letters, or an
    object from letters to texts; for labels the labels) and finish_reason.
    """
    import sys
    from collections import Counter
    from contextlib import nullcontext

    from joulemark.record.errors import InputError
    from joulemark.tasks.scorers.recorded import read_recorded

    counts: Counter[str] = Counter()
    try:
        opened = nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb")  # noqa: SIM115
    except OSError as error:
        raise InputError(
            f"the file {file} cannot be read",
            why=error.strerror or str(error),
            fix="pass a JSONL file of replies, or - for standard input",
        ) from error
    line = _json_line if as_json else _table_line
    with opened as stream:
        if not as_json:
            sys.stdout.write(_aligned(_HEADINGS))
        for reply in read_recorded(stream, name="standard input" if file == "-" else file, kind=kind):
            score = reply.judge()
            counts[str(score.verdict)] += 1
            sys.stdout.write(line(reply, score))
    if not as_json:
        sys.stdout.write(
            f"\n{counts.total()} replies: {', '.join(f'{n} {v}' for v, n in counts.most_common())}\n"
        )


def _json_line(reply: Recorded, score: Score) -> str:
    import json

    # Escaped to ASCII: a reply may hold half a character, which has no UTF-8.
    fields = {
        "id": reply.item_id,
        "value": score.value,
        "verdict": score.verdict,
        "rule": score.rule,
        "span": score.span,
    }
    return json.dumps(fields) + "\n"


def _table_line(reply: Recorded, score: Score) -> str:
    from joulemark.report.wording import printable

    span = "—" if score.span is None else f"{score.span[0]}–{score.span[1]}"
    value = "—" if score.value is None else printable(score.value)
    if len(value) > _LONGEST_VALUE:
        value = value[: _LONGEST_VALUE - 1] + "…"
    return _aligned((printable(str(reply.item_id)), str(score.verdict), score.rule or "—", span, value))


def _aligned(cells: tuple[str, ...]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip() + "\n"
