"""Which configuration to run for a workload: ranked tables, what was ruled out, and what is withheld."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from joulemark.metrics.comparable import IMPLAUSIBLE
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.batch_load import batch_not_full
from joulemark.metrics.picking.candidate import Candidate
from joulemark.metrics.picking.constraints import Constraint, Kept, Named, fits_a_day, how_far, kept
from joulemark.metrics.picking.draws import N_DRAWS, SEED, cost_draws, probabilities, rank_ranges
from joulemark.metrics.picking.named import named_points
from joulemark.metrics.picking.price import Priced, price
from joulemark.metrics.picking.texts import TextWorkload
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

Objective = Literal["joules_per_correct", "joules", "usd", "gco2e", "usd_per_correct", "gco2e_per_correct"]
OBJECTIVES: tuple[Objective, ...] = (
    "joules_per_correct",
    "joules",
    "usd",
    "gco2e",
    "usd_per_correct",
    "gco2e_per_correct",
)
KINDS = ("measured", "published", "simulated")  # the best evidence first
NO_INTERVAL = "A figure of the table has no interval, so how sure the order is cannot be told."
_ALONE = "Nothing else may be ranked with it."
_NO_QUALITY = (
    "Several models are ranked without their accuracy: their answers are not known to be equally good."
)
_UNTESTED = (
    "Whether a cost model holds for other questions than its run's was tested where the row says so; "
    "elsewhere it was not."
)
_NOT_FULL = (
    "{label} was measured with {k:g} requests in flight; {n:,.0f} a day are {own:.2g} in the mean. Its "
    "joules hold only if they come together."
)
_MORE_NOT_FULL = "The same is so of {n:,} more rows that are shown."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: ``by`` which cost to rank, and what has to be kept."""

    by: Objective = "joules_per_correct"
    constraints: tuple[Constraint, ...] = ()

    @property
    def figure(self) -> str:
        """The name of the figure that is ranked by."""
        return f"workload_{self.by}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of a table: its figures, how it stands to each constraint, its ranks and its chance to be best.

    ``ranks`` are the first and the last rank that it may have; null where noise cannot be told.
    """

    priced: Priced
    checks: tuple[Kept, ...]
    ranks: tuple[int, int] | None
    probability: Value


@dataclass(frozen=True, slots=True)
class Table:
    """Configurations that may be ranked together: of one kind, tier and scope (and task).

    The task counts where the accuracy is part of the objective, and of published rows always. ``rows`` are
    ordered by the objective, the least first.
    """

    kind: str
    tier: str | None
    scope: str | None
    task: str | None
    questions: str | None
    rows: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A configuration that keeps not all that was asked; ``failed`` are the constraints that it does not."""

    priced: Priced
    failed: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class NotPriced:
    """A configuration without the figure that is ranked by: a reason code, and the sentence why."""

    candidate: Candidate
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Picked:
    """What was found. Every candidate is in exactly one of ``tables``, ``ruled_out`` and ``not_priced``.

    ``ruled_out`` begins with the nearest to what was asked. ``n_per_request`` of ``not_priced`` lack only
    their accuracy: they keep what was asked and can be ranked by the cost of a request.
    """

    wanted: Wanted
    workload: Workload | TextWorkload
    tables: tuple[Table, ...]
    ruled_out: tuple[RuledOut, ...]
    not_priced: tuple[NotPriced, ...]
    notes: tuple[str, ...]
    n_per_request: int = 0

    @property
    def per_request(self) -> str:
        """The objective without the accuracy, for instance ``joules`` of ``joules_per_correct``."""
        return self.wanted.by.removesuffix("_per_correct")

    @property
    def best(self) -> Ranked | None:
        """The first row of the first table, or null."""
        return self.tables[0].rows[0] if self.tables else None


def pick(
    candidates: Sequence[Candidate],
    workload: Workload | TextWorkload,
    wanted: Wanted,
    *,
    n_draws: int = N_DRAWS,
    seed: int = SEED,
) -> Picked:
    """Price a workload on every candidate and rank those that keep what was asked.

    Pure: the same arguments always give the same answer. A constraint more never adds a candidate. Raises
    ``KeyError`` for a constraint on an unknown figure.
    """
    points = named_points([one.point for one in candidates])
    named = [replace(one, point=point) for one, point in zip(candidates, points, strict=True)]
    not_priced: list[NotPriced] = []
    ruled_out: list[RuledOut] = []
    able: list[tuple[Priced, tuple[Kept, ...]]] = []
    per_request = 0
    for one in named:
        row = price(one, workload)
        checks = tuple(kept(constraint, row) for constraint in wanted.constraints)
        failed = [check for check in checks if not check.met]
        full = fits_a_day(row)
        if full is not None:
            failed.append(full)
        # what was not asked for needs no figure
        elsewhere = any(isinstance(c.constraint, Named) and c.met is False for c in failed)
        why = None if elsewhere else why_not_priced(row, wanted)
        if why is not None:
            not_priced.append(why)
            per_request += not failed and lacks_accuracy(row, wanted)
        elif failed:
            ruled_out.append(RuledOut(row, tuple(failed)))
        else:
            able.append((row, checks))
    tables = _tables(able, wanted, n_draws, seed)
    return Picked(
        wanted,
        workload,
        tables,
        tuple(sorted(ruled_out, key=nearest)),
        tuple(not_priced),
        notes_of(tables, wanted),
        per_request,
    )


def nearest(one: RuledOut) -> tuple[bool, float]:
    """Return by what those that were ruled out are ordered: how far the limit is that each misses most.

    What is not of the name that was asked for comes last.
    """
    other = any(isinstance(check.constraint, Named) and check.met is False for check in one.failed)
    return other, max(map(how_far, one.failed), default=math.inf)


def lacks_accuracy(row: Priced, wanted: Wanted) -> bool:
    """Tell whether nothing but the accuracy keeps a row from a cost per correct answer."""
    point, figure = row.candidate.point, wanted.figure.removesuffix("_per_correct")
    if figure == wanted.figure or point.accuracy.value is not None or row.figures[figure].value is None:
        return False
    return not (point.unit != "request" or point.implausible or point.late)


def why_not_priced(row: Priced, wanted: Wanted) -> NotPriced | None:
    """Return why a row has no figure to be ranked by, or null."""
    point = row.candidate.point
    if point.unit != "request":
        text = f"It makes {point.unit}s: nothing that is asked in tokens."
        return NotPriced(row.candidate, Reason.NOT_APPLICABLE.value, text)
    if point.implausible:
        return NotPriced(row.candidate, IMPLAUSIBLE, point.implausible)
    if point.late:
        return NotPriced(row.candidate, Reason.CLIENT_INVALID.value, point.late)
    value = row.figures[wanted.figure]
    if value.reason is None:
        return None
    text = " ".join(filter(None, (value.reason.text, value.detail)))
    if lacks_accuracy(row, wanted):
        text = f"Its accuracy is not known. {text}"
    return NotPriced(row.candidate, value.reason.value, text)


def _tables(
    able: Sequence[tuple[Priced, tuple[Kept, ...]]], wanted: Wanted, n_draws: int, seed: int
) -> tuple[Table, ...]:
    """Return the tables: measured before published before simulated, then the one of the most rows."""
    groups: dict[tuple[str, str | None, str | None, str | None, str | None], list[int]] = {}
    for k, (row, _) in enumerate(able):
        point = row.candidate.point
        graded = wanted.by.endswith("per_correct")
        of_task = task_of(point, graded=graded)
        groups.setdefault((point.kind, point.tier, point.scope, *of_task), []).append(k)
    tables = [
        Table(*key, _ranked([able[k] for k in places], wanted, n_draws, seed))
        for key, places in groups.items()
    ]
    order = {id(table): k for k, table in enumerate(tables)}
    return tuple(
        sorted(
            tables,
            key=lambda t: (KINDS.index(t.kind), -len(t.rows), t.tier or "~", t.task or "", order[id(t)]),
        )
    )


def task_of(point: OperatingPoint, *, graded: bool) -> tuple[str | None, str | None]:
    """Return the task and the questions that rows of a table share.

    Where the accuracy counts, and of published rows always: their joules are of that task's requests.
    """
    if graded:
        return point.task, point.questions
    return (point.task if point.kind == "published" else None), None


def _ranked(
    rows: Sequence[tuple[Priced, tuple[Kept, ...]]], wanted: Wanted, n_draws: int, seed: int
) -> tuple[Ranked, ...]:
    ordered = sorted(rows, key=lambda row: _order(row[0], wanted.figure))
    if len(ordered) == 1:
        return (alone(*ordered[0]),)
    draws = cost_draws([row for row, _ in ordered], wanted.figure, n_draws, seed)
    if draws is None:
        why = withheld("1", Reason.NOT_MEASURED, detail=NO_INTERVAL)
        return tuple(Ranked(row, checks, None, why) for row, checks in ordered)
    chances, ranks = probabilities(draws), rank_ranges(draws)
    return tuple(
        Ranked(row, checks, ranks[k], Value(chances[k], "1", n=n_draws))
        for k, (row, checks) in enumerate(ordered)
    )


def alone(row: Priced, checks: tuple[Kept, ...]) -> Ranked:
    """Return the only row of a table."""
    return Ranked(row, checks, (1, 1), withheld("1", Reason.NOT_APPLICABLE, detail=_ALONE))


def _order(row: Priced, figure: str) -> tuple[float, str, str, str]:
    value, point = row.figures[figure].value, row.candidate.point
    assert value is not None
    return value, point.model, point.label, point.origin


def notes_of(tables: Sequence[Table], wanted: Wanted) -> tuple[str, ...]:
    """Return what has to be known of tables as a whole."""
    rows = [row for table in tables for row in table.rows]
    notes = []
    graded = wanted.by.endswith("per_correct") or any(
        constraint.name == "accuracy" for constraint in wanted.constraints
    )
    if not graded and len({row.priced.candidate.point.model for row in rows}) > 1:
        notes.append(_NO_QUALITY)
    if any(row.priced.candidate.point.kind != "published" for row in rows):
        notes.append(_UNTESTED)
    # of the first row it stands beside the answer
    not_made_up = [note for row in rows[1:] if (note := not_full(row.priced))]
    notes += not_made_up[:1]
    if len(not_made_up) > 1:
        notes.append(_MORE_NOT_FULL.format(n=len(not_made_up) - 1))
    return tuple(notes)


def not_full(row: Priced) -> str:
    """Return that a day's requests do not make up the load that a loaded run was priced at, or nothing."""
    candidate, workload = row.candidate, row.workload
    if candidate.point.kind == "published":
        return batch_not_full(candidate, workload)
    busy = row.figures[told.BUSY.name].value
    if not candidate.loaded or workload is None or busy is None or candidate.in_flight is None or busy >= 0.5:
        return ""
    assert workload.requests_per_day is not None
    return _NOT_FULL.format(
        n=workload.requests_per_day,
        own=busy * candidate.in_flight,
        k=candidate.in_flight,
        label=candidate.point.label,
    )
