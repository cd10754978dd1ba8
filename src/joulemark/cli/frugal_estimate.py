"""``joulemark frugal choose`` and ``estimate``: fewer questions by what other models made of them."""

from __future__ import annotations

from pathlib import Path

import click

from joulemark.tasks.subset import DEFAULT_KEY

_OUT = Path("frugal-items.json")


@click.command()
@click.argument("prior", nargs=-1, required=True, metavar="PRIOR...", type=click.Path(path_type=Path))
@click.option("--n", "n", type=click.IntRange(min=1), required=True, help="How many items to ask.")
@click.option(
    "--by",
    "method",
    type=click.Choice(["strata", "random", "anchors"]),
    default="strata",
    show_default=True,
    help="Within strata of difficulty; plainly at random, to be corrected by regression; or anchor points.",
)
@click.option(
    "--allocation",
    type=click.Choice(["proportional", "neyman"]),
    default="proportional",
    show_default=True,
    help="Of strata: by their sizes, or by size times deviation.",
)
@click.option(
    "--strata", "n_strata", type=click.IntRange(min=1), help="Number of strata (default: n / 5, ≤ 20)."
)
@click.option("--benchmark", metavar="NAME", help="Which matrix of an archive that holds several.")
@click.option(
    "--leave-out", metavar="MODEL", help="A model of the matrix that is to be judged, not learned from."
)
@click.option(
    "--key", default=DEFAULT_KEY, show_default=True, help="Seeds the choice: the same for every model."
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help=f"Where it is written ({_OUT}).")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the choice as JSON; it is written only with --out."
)
def choose(
    prior: tuple[Path, ...],
    n: int,
    method: str,
    allocation: str,
    n_strata: int | None,
    benchmark: str | None,
    leave_out: str | None,
    key: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Choose which items to ask, from earlier outcomes of other models on the same task.

    PRIOR is a matrix (.npz), or several runs or files of a model each. The list goes to
    `joulemark bench run TASK --items FILE`, and with its outcomes to `joulemark frugal estimate`.
    """
    import orjson

    from joulemark.frugal.prior.choice import METHODS
    from joulemark.frugal.prior.draw import choose as chosen
    from joulemark.frugal.prior.earlier import read_prior, without_model
    from joulemark.frugal.prior.expected_gain import expected_gain

    matrix = read_prior(prior, benchmark=benchmark)
    if leave_out is not None:
        matrix = without_model(matrix, leave_out)
    by = METHODS[METHODS.index(method)]
    choice = chosen(matrix, n, method=by, key=key, allocation=allocation, n_strata=n_strata)
    gain = expected_gain(matrix, n, method=method, allocation=allocation, n_strata=max(1, len(choice.strata)))
    document = choice.to_json()
    place = out or (None if as_json else _OUT)
    if place is not None:
        _write(place, orjson.dumps(document, option=orjson.OPT_INDENT_2))
    if as_json:
        told = None if gain is None else {"median": gain.median, "least": gain.least, "largest": gain.largest}
        click.echo(orjson.dumps({**document, "expected_gain": told}, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    from joulemark.report.frugal_estimate import print_choice

    print_choice(choice, gain, place or _OUT, Console(), levels=matrix.n_levels)


@click.command()
@click.argument("outcomes", metavar="OUTCOMES", type=click.Path(path_type=Path))
@click.option(
    "--choice", type=click.Path(path_type=Path), metavar="FILE", help="What `joulemark frugal choose` wrote."
)
@click.option(
    "--prior",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Without a choice: other models' outcomes; the items asked count as a plain random sample.",
)
@click.option("--model", metavar="NAME", help="Which model of a file that holds several.")
@click.option("--benchmark", metavar="NAME", help="Which matrix of an archive that holds several.")
@click.option(
    "--metric", metavar="NAME", help="The column, scorer or statistic that says how good an answer is."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def estimate(
    outcomes: Path,
    choice: Path | None,
    prior: tuple[Path, ...],
    model: str | None,
    benchmark: str | None,
    metric: str | None,
    as_json: bool,
) -> None:
    """Estimate a model's accuracy on a whole task from the items that it was asked.

    OUTCOMES is a run, a table, a matrix or another tool's log. The interval is 95 %, and the gain says how
    many times smaller the variance is than that of a plain sample of as many items.
    """
    import orjson

    from joulemark.frugal.outcomes.outcome_file import read_outcomes
    from joulemark.frugal.prior.choice import read_choice
    from joulemark.frugal.prior.earlier import read_prior
    from joulemark.frugal.prior.judge import by_regression, judge
    from joulemark.frugal.prior.judgement_json import judgement_json
    from joulemark.record.errors import InputError

    if (choice is None) == (not prior):
        raise InputError(
            "one of --choice and --prior is needed",
            why="they say what is known of the items",
            fix="joulemark frugal estimate OUTCOMES --choice FILE",
        )
    found = read_outcomes(outcomes, metric=metric, model=model, benchmark=benchmark)
    if choice is not None:
        judged = judge(read_choice(choice), found)
    else:
        judged = by_regression(read_prior(prior, benchmark=benchmark, leave_out=found.name), found)
    if as_json:
        click.echo(orjson.dumps(judgement_json(judged), option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    from joulemark.report.frugal_estimate import print_judgement

    print_judgement(judged, Console())


def _write(path: Path, data: bytes) -> None:
    from joulemark.files.atomic import write_whole
    from joulemark.record.errors import InputError

    try:
        write_whole(path, data)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written", why=error.strerror or str(error), fix="name another file with --out"
        ) from error
