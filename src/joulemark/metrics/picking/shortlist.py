"""The first rows of a pick among thousands of candidates, in a few milliseconds.

The answer is that of `joulemark.metrics.picking.pick` over the same candidates, of which the rows that are
shown are priced in full. Rows that cannot matter are not drawn: see `_drawn`.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from joulemark.metrics.picking.columns import Codes, Columns, Flags, Numbers
from joulemark.metrics.picking.constraints import FITS, Constraint, Named, fits_a_day, kept
from joulemark.metrics.picking.definitions import JOULES
from joulemark.metrics.picking.draws import (
    APART,
    SEED,
    Draws,
    Variates,
    joule_draws,
    per_correct_draws,
    shared_draws,
    variates_of,
)
from joulemark.metrics.picking.pick import (
    KINDS,
    NO_INTERVAL,
    Picked,
    Ranked,
    RuledOut,
    Table,
    Wanted,
    alone,
    notes_of,
    task_of,
    why_not_priced,
)
from joulemark.metrics.picking.price import Priced, price
from joulemark.metrics.picking.screen import Screen
from joulemark.metrics.picking.tails import lower_ends
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

N_DRAWS = 4000
PRUNED = 1e-6  # a row that is left out of the draws is the best, or changes a rank, with less than this
_CHUNK = 16
_MOST_DRAWN = 1_200_000  # rows times draws
_MOST_RANKED = 250_000  # and of the draws that ranks are counted in
_LEAST_DRAWS = 500

KeptDraws = MutableMapping[int, Variates]
"""Draws by the row's place in the columns, kept from one question to the next."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """``found`` holds what is shown; the counts are of all.

    ``n_rows`` are by table of ``found``, ``n_tables`` counts those that are left out too. ``failed_by``
    counts by constraint what it rules out (`FITS` among them); ``n_alike`` counts by entry of
    ``found.not_priced`` those that lack a price for the same reason.
    """

    found: Picked
    n_candidates: int
    n_tables: int
    n_rows: tuple[int, ...]
    n_ruled_out: int
    failed_by: tuple[tuple[Constraint, int], ...]
    n_not_priced: int
    n_alike: tuple[int, ...]


def shortlist(
    columns: Columns,
    workload: Workload,
    wanted: Wanted,
    rates: Rates,
    *,
    most: int = 24,
    most_tables: int = 6,
    n_draws: int = N_DRAWS,
    seed: int = SEED,
    draws: KeptDraws | None = None,
) -> Shortlist:
    """Return the first ``most`` rows of each table, and of what was ruled out.

    ``rates`` are those of whoever asks and hold for all rows. Raises ``KeyError`` for a constraint on an
    unknown figure.
    """
    screen = Screen(columns, workload, rates)
    far = np.zeros(len(columns.candidates))
    n = len(columns.candidates)
    objective = screen.figure(wanted.figure)
    failed, named_apart, failed_by = np.zeros(n, np.bool_), np.zeros(n, np.bool_), []
    for constraint in wanted.constraints:
        met, known = screen.met(constraint)
        failed |= ~met
        far = np.maximum(far, _how_far(screen, constraint, met))
        if isinstance(constraint, Named):
            named_apart |= known & ~met
        failed_by.append((constraint, ~met))
    full = screen.figure(FITS.name) > FITS.bound
    failed |= full
    far = np.maximum(far, _how_far(screen, FITS, ~full))
    if full.any():
        failed_by.append((FITS, full))
    priceless = ~named_apart & (columns.priceless | np.isnan(objective))
    ruled_out = failed & ~priceless
    able = ~failed & ~priceless

    def priced(k: int) -> Priced:
        return price(replace(columns.candidates[k], rates=rates), workload)

    order = np.lexsort((columns.tie, objective))
    tables, n_rows, n_tables = _tables(
        screen, wanted, order[able[order]], priced, (most, most_tables, n_draws, seed), draws
    )
    away = order[ruled_out[order]]
    # what was asked for by name and fails by a figure tells more than what was not asked for
    away = away[np.lexsort((far[away], named_apart[away]))][:most]
    unpriced = [
        (one, n)
        for k, n in _representatives(columns, priceless, most)
        if (one := why_not_priced(priced(k), wanted)) is not None
    ]
    found = Picked(
        wanted,
        workload,
        tables,
        tuple(_ruled_out(priced(int(k)), wanted) for k in away),
        tuple(one for one, _ in unpriced),
        notes_of(tables, wanted),
        _per_request(screen, wanted, ~failed & ~columns.priceless),
    )
    return Shortlist(
        found,
        n,
        n_tables,
        n_rows,
        int(ruled_out.sum()),
        tuple((constraint, int((missed & ruled_out).sum())) for constraint, missed in failed_by),
        int(priceless.sum()),
        tuple(n for _, n in unpriced),
    )


def _how_far(screen: Screen, constraint: Constraint, met: Flags) -> Numbers:
    """Return by how much each row misses a constraint; as `constraints.how_far`."""
    if isinstance(constraint, Named):
        return np.where(met, 0.0, np.inf)
    values = screen.figure(constraint.name)
    usable = (values > 0) & (constraint.bound > 0)
    ratio = np.where(usable, values, 1.0) / (constraint.bound if constraint.bound > 0 else 1.0)
    return np.where(met, 0.0, np.where(usable, np.abs(np.log(ratio)), np.inf))


def _per_request(screen: Screen, wanted: Wanted, able: Flags) -> int:
    """Return how many rows lack only their accuracy; as `Picked.n_per_request`."""
    figure = wanted.figure.removesuffix("_per_correct")
    if figure == wanted.figure:
        return 0
    return int((able & np.isnan(screen.columns.accuracy) & ~np.isnan(screen.figure(figure))).sum())


def _ruled_out(row: Priced, wanted: Wanted) -> RuledOut:
    failed = [check for one in wanted.constraints if not (check := kept(one, row)).met]
    full = fits_a_day(row)
    return RuledOut(row, (*failed, *(() if full is None else (full,))))


def _representatives(columns: Columns, priceless: Flags, most: int) -> list[tuple[int, int]]:
    """Return one row of each kind of reason, of the commonest first, and how many it stands for."""
    rows = np.flatnonzero(priceless)
    _, first, counts = np.unique(columns.alike[rows], return_index=True, return_counts=True)
    commonest = np.argsort(-counts, kind="stable")[:most]
    return [(int(rows[first[k]]), int(counts[k])) for k in commonest]


def _tables(
    screen: Screen,
    wanted: Wanted,
    able: Codes,
    priced: Callable[[int], Priced],
    sizes: tuple[int, int, int, int],
    draws: KeptDraws | None,
) -> tuple[tuple[Table, ...], tuple[int, ...], int]:
    columns = screen.columns
    most, most_tables, n_draws, seed = sizes
    graded = wanted.by.endswith("per_correct")
    codes = (columns.task_table if graded else columns.table)[able]
    groups = [able[codes == code] for code in dict.fromkeys(codes.tolist())]

    def place(group: Codes) -> tuple[int, int, str, str, int]:
        point = columns.candidates[group[0]].point
        task = task_of(point, graded=graded)[0] or ""
        return KINDS.index(point.kind), -len(group), point.tier or "~", task, int(group.min())

    shown = sorted(groups, key=place)[:most_tables]
    tables = []
    for number, group in enumerate(shown):
        point = columns.candidates[group[0]].point
        rows = [priced(int(k)) for k in group[: most if number == 0 else max(6, most // 4)]]
        ranked = _ranked(screen, wanted, group, rows, n_draws, seed, draws)
        task, questions = task_of(point, graded=graded)
        tables.append(Table(point.kind, point.tier, point.scope, task, questions, ranked))
    return tuple(tables), tuple(len(group) for group in shown), len(groups)


def _ranked(
    screen: Screen,
    wanted: Wanted,
    group: Codes,
    rows: Sequence[Priced],
    n_draws: int,
    seed: int,
    kept_draws: KeptDraws | None,
) -> tuple[Ranked, ...]:
    checks = [tuple(kept(one, row) for one in wanted.constraints) for row in rows]
    if len(group) == 1:
        return (alone(rows[0], checks[0]),)
    columns = screen.columns
    graded = wanted.by.endswith("per_correct")
    has_interval = np.isnan(columns.scaled[group])
    if graded:
        has_interval &= columns.has_accuracy_interval[group]
    if not has_interval.all():
        why = withheld("1", Reason.NOT_MEASURED, detail=NO_INTERVAL)
        return tuple(Ranked(row, check, None, why) for row, check in zip(rows, checks, strict=True))
    found = _drawn(screen, wanted, group, len(rows), n_draws, seed, kept_draws)
    chances, ranks = _standing(found, len(rows), len(group))
    n = found.shape[1]
    return tuple(
        Ranked(row, check, ranks[k], Value(chances[k], "1", n=n))
        for k, (row, check) in enumerate(zip(rows, checks, strict=True))
    )


def _drawn(
    screen: Screen,
    wanted: Wanted,
    group: Codes,
    n_shown: int,
    n_draws: int,
    seed: int,
    kept_draws: KeptDraws | None,
) -> Draws:
    """Return draws of the first rows of a table, the shown ones and all that may matter to them.

    Left out is a row that cannot be the best, for its lower end at the probability `PRUNED` is above the
    least of the shown rows in every draw, and that is surely dearer than each shown row: its lower end at
    half a tail is above that row's upper one, so that together they hold in `APART` of the cases.
    """
    columns, workload = screen.columns, screen.workload
    graded = wanted.by.endswith("per_correct")
    cost = screen.figure(f"workload_{wanted.by.removesuffix('_per_correct')}")
    per_joule = cost[group] / screen.figure(JOULES.name)[group]
    tail = (1 - APART) / 2
    lowest, low = (
        lower_ends(columns, group[n_shown:], workload, per_joule[n_shown:], share, graded=graded)
        for share in (PRUNED, tail)
    )
    shared = shared_draws(n_draws, seed)

    def drawn(place: int, n: int) -> Draws:
        k = int(group[place])
        own = _variates(columns, k, n, seed, kept_draws, graded=graded)
        found = joule_draws(columns.candidates[k], workload, shared[:, :n], own) * float(per_joule[place])
        return per_correct_draws(found, own) if graded else found

    first = np.array([drawn(place, n_draws) for place in range(n_shown)])
    matters = lowest <= first.min(axis=0).max()
    matters |= low <= np.quantile(first, 1 - tail, axis=1).max()
    rest = np.flatnonzero(matters) + n_shown
    n = min(n_draws, max(_LEAST_DRAWS, _MOST_DRAWN // (len(rest) + n_shown)))
    return np.vstack([first[:, :n], *(drawn(int(place), n)[None, :] for place in rest)])


def _variates(
    columns: Columns, k: int, n: int, seed: int, kept_draws: KeptDraws | None, *, graded: bool
) -> Variates:
    own = None if kept_draws is None else kept_draws.get(k)
    if own is None or len(own.t) < n or (graded and own.accuracy is None):
        own = variates_of(columns.candidates[k], n, seed, graded=graded)
        if kept_draws is not None:
            kept_draws[k] = own
    return own


def _standing(draws: Draws, shown: int, n_rows: int) -> tuple[list[float], list[tuple[int, int]]]:
    """Return each shown row's chance to be the least and its range of ranks; rows not drawn are dearer."""
    least = draws == draws.min(axis=0)
    chances = (least[:shown] / least.sum(axis=0)).mean(axis=1)
    undrawn = n_rows - len(draws)
    some = np.ascontiguousarray(draws[:, : max(_LEAST_DRAWS, _MOST_RANKED // len(draws))])
    enough = APART * some.shape[1]
    ranks = []
    for k in range(shown):
        dearer = np.count_nonzero(some[k] < some, axis=1) >= enough
        cheaper = np.count_nonzero(some < some[k], axis=1) >= enough
        ranks.append((1 + int(cheaper.sum()), n_rows - int(dearer.sum()) - undrawn))
    return [float(chance) for chance in chances], ranks
