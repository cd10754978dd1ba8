"""A ranking of models: its groups, rank ranges and what it would have taken, in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.frugal.paired.pairing import Paired
from joulemark.frugal.paired.ranks import Ranking, Settled
from joulemark.metrics.plain import JsonValue
from joulemark.report.wording import printable

_PROMISES = {
    "family": (
        "All of these are right with a chance of at least {sure:.0%} (each pair is tested at {each:.2g}, its "
        "part of {alpha:.0%})."
    ),
    "fdr": "At most {alpha:.0%} of these are expected to be wrong (e-BH over {pairs:,} pairs).",
    "none": "Each pair was tested by itself: of {pairs:,}, {alpha:.0%} may be wrong.",
}
_NO_PROMISE = (
    "No chance is given for these: models lack items that others have an outcome of, and what a model has no "
    "answer to is no random part. Each order and tie is that of the items that all have, and would stand if "
    "all that its models lack were not right."
)
_WORDS = {Settled.OPEN: "open", Settled.ORDER: "order", Settled.TIE: "tie"}


def print_ranking(both: Paired, without: tuple[str, ...], ranking: Ranking, console: Console) -> None:
    """Print the models in groups, best first, then how many pairs were settled and what was spent."""
    console.print(Padding(_table(both, ranking), (1, 0)))
    console.print(Text(_legend(ranking), style="dim"))
    for sentence in sentences(both, without, ranking):
        console.print(Text(sentence))


def _legend(ranking: Ranking) -> str:
    """Say what the columns are, and why a model may stand above one with a larger mean."""
    return (
        "Order: by what was told apart (Rank), then by the mean of the items that a model had to answer "
        f"(Items). Mean of all is that of all {ranking.n_items:,} items: it need not fall from line to line. "
        "Against the next: what became of a model and the one below it, and after how many items."
    )


def sentences(both: Paired, without: tuple[str, ...], ranking: Ranking) -> list[str]:
    """Return what there is to say of the ranking as a whole."""
    question, pairs = ranking.question, len(ranking.kind)
    count = {kind: int((ranking.kind == kind).sum()) for kind in Settled}
    spent, full = ranking.spent()
    width = f"{question.epsilon:g}" if question.real else f"{100 * question.epsilon:g} pp"
    promise = _PROMISES[ranking.control].format(
        sure=1 - question.alpha, alpha=question.alpha, each=question.alpha / pairs, pairs=pairs
    )
    if not (count[Settled.ORDER] or count[Settled.TIE]):
        promise = "Nothing is claimed of them."
    elif _lacking(both):
        promise = _NO_PROMISE
    settled = (
        f"{pairs:,} {'pair' if pairs == 1 else 'pairs'}: {count[Settled.ORDER]:,} told apart, "
        f"{count[Settled.TIE]:,} ties within {width}, {count[Settled.OPEN]:,} open."
    )
    taken = (
        f"Half of the pairs were settled after {int(np.median(ranking.n)):,} of {ranking.n_items:,} items; "
        f"near ones take most: {spent:,} of {full:,} answers ({spent / full:.1%}) would have been asked for."
    )
    turned = ranking.contradicted()
    all_of = "All items together" if not _lacking(both) else "All items that every model has"
    found = [
        f"{settled} {promise}",
        taken,
    ]
    if count[Settled.ORDER]:
        found.append(f"{all_of} turn {f'{turned:,}' if turned else 'none'} of the orders round.")
    withheld = int(ranking.withheld.sum())
    if withheld:
        found.append(
            f"{withheld:,} of the open pairs {'was' if withheld == 1 else 'were'} settled on the items that "
            "all have, but would not be if what the model that gains lacks were not right: nobody wins by "
            "refusing."
        )
    if both.in_part:
        found.append(
            f"{_some(both.in_part)} {'was' if len(both.in_part) == 1 else 'were'} not asked all of the task: "
            f"the {ranking.n_items:,} items are a random part of {both.n_items:,}, which a tie speaks of."
        )
    elif count[Settled.TIE]:
        found.append(f"A tie speaks of these {ranking.n_items:,} questions alone, not of others of the kind.")
    if both.decided:
        found.append(
            f"A decision ended the asking of {_some(both.decided)}: its mean on these items lies rather too "
            "far on the side that ended it."
        )
    if both.listed:
        found.append(
            f"The items of {', '.join(map(printable, both.listed))} were named by a list (`--items`): the "
            "ranking speaks of these items and not of the task."
        )
    if any(both.left_out):
        found.append(
            f"{len(both.item_ids):,} items have an outcome of every model; other items are left out."
        )
    if without:
        found.append(f"Left out for items that they lack: {_some(without)} (name them with --model).")
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join(printable(name) for name in names[:5]) + (", …" if len(names) > 5 else "")


def _lacking(both: Paired) -> bool:
    return both.refusals is not None and both.refusals.differ


def ranking_json(both: Paired, without: tuple[str, ...], ranking: Ranking) -> dict[str, JsonValue]:
    """Return the ranking as plain JSON values, unrounded; models best first, differences are b - a."""
    group_of = {model: number for number, group in enumerate(ranking.groups(), 1) for model in group}
    ranges, n_of, means = ranking.ranges(), ranking.n_of().tolist(), ranking.means().tolist()
    all_means = ranking.values.mean(axis=1).tolist()
    spent, full = ranking.spent()
    return {
        "metric": both.metric,
        "control": ranking.control,
        "alpha": ranking.question.alpha,
        "epsilon": ranking.question.epsilon,
        "n_items": ranking.n_items,
        "drawn_from": ranking.drawn_from,
        "chance_holds": not _lacking(both),
        "models_asked_in_part": list(both.in_part),
        "models_ended_by_a_decision": list(both.decided),
        "answers_spent": spent,
        "answers_full": full,
        "orders_turned_round_by_all_items": ranking.contradicted(),
        "models_left_out": list(without),
        "models": [
            {
                "name": both.names[model],
                "group": group_of[model],
                "rank_best": ranges[model][0],
                "rank_worst": ranges[model][1],
                "n": n_of[model],
                "mean": means[model],
                "mean_of_all_items": all_means[model],
                "items_left_out": both.left_out[model],
                "items_missing": both.missing[model],
            }
            for model in ranking.order()
        ],
        "pairs": [_pair_json(both, ranking, pair) for pair in range(len(ranking.kind))],
    }


def _pair_json(both: Paired, ranking: Ranking, pair: int) -> dict[str, JsonValue]:
    a, b, n = int(ranking.first[pair]), int(ranking.second[pair]), int(ranking.n[pair])
    side, log_e = int(ranking.side[pair]), float(ranking.log_e[pair])
    return {
        "a": both.names[a],
        "b": both.names[b],
        "decision": _WORDS[Settled(int(ranking.kind[pair]))],
        "winner": None if not side else both.names[b if side > 0 else a],
        "withheld": bool(ranking.withheld[pair]),
        "n": n,
        "log10_e_value": log_e / math.log(10) if math.isfinite(log_e) else None,
        "difference": float((ranking.values[b, :n] - ranking.values[a, :n]).mean()),
        "reasons": {} if math.isfinite(log_e) else {"log10_e_value": "it is infinite: every item was read"},
    }


def _table(both: Paired, ranking: Ranking) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading, justify in (
        ("Group", "right"),
        ("Model", "left"),
        ("Mean of all", "right"),
        ("Rank", "right"),
    ):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    table.add_column("Items", justify="right")
    if _lacking(both):
        table.add_column("Missing", justify="right")
    table.add_column("Against the next", style="dim")
    # not the mean when it was settled: the lead that settled it makes that one too large or too small
    ranges, means, n_of = ranking.ranges(), ranking.values.mean(axis=1), ranking.n_of()
    order = ranking.order()
    following = dict(pairwise(order))
    for number, group in enumerate(ranking.groups(), 1):
        for model in group:
            best, worst = ranges[model]
            mean = f"{means[model]:.4g}" if ranking.question.real else f"{means[model]:.1%}"
            table.add_row(
                str(number),
                Text(printable(both.names[model])),
                mean,
                str(best) if best == worst else f"{best}–{worst}",
                f"{n_of[model]:,}",
                *((f"{both.missing[model]:,}",) if _lacking(both) else ()),
                _against(ranking, model, following.get(model)),
            )
    return table


def _against(ranking: Ranking, model: int, other: int | None) -> str:
    """Return what became of a model and the one below it, and after how many items."""
    if other is None:
        return ""
    low, high = sorted((model, other))
    pair = int(np.flatnonzero((ranking.first == low) & (ranking.second == high))[0])
    kind, n = Settled(int(ranking.kind[pair])), int(ranking.n[pair])
    if ranking.withheld[pair]:
        return "withheld, for what is missing"
    if kind is Settled.OPEN:
        return "not told apart"
    word = "tie" if kind is Settled.TIE else "better" if ranking.better[model, other] else "worse"
    return f"{word}, {n:,} items"
