"""Runs of a reference and of a candidate that were made next to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joulemark.record.code_run import CANDIDATE, REFERENCE, CodeRun, Purpose


@dataclass(frozen=True, slots=True)
class Pair:
    """One run of the reference and the candidate's run beside it, on the same input."""

    reference: CodeRun
    candidate: CodeRun


def pairs_of(runs: Sequence[CodeRun]) -> dict[tuple[str, int], tuple[Pair, ...]]:
    """Return the pairs of each sample at the scaled input, by (problem, number).

    Of several sizes of input the largest is meant: the others led to it.
    """
    return {key: _largest(pairs) for key, pairs in _pairs(runs, Purpose.PAIRED).items()}


def growth_pairs(runs: Sequence[CodeRun]) -> dict[tuple[str, int], tuple[Pair, ...]]:
    """Return the pairs of each sample at all sizes of its growth, if these were run beside the reference."""
    return _pairs(runs, Purpose.GROWTH)


def control_pairs(runs: Sequence[CodeRun]) -> dict[str, tuple[Pair, ...]]:
    """Return the pairs of a reference with itself (A/A, `Purpose.SAME`), by problem."""
    found: dict[str, list[Pair]] = {}
    for (problem, _), pairs in _pairs(runs, Purpose.SAME).items():
        found.setdefault(problem, []).extend(pairs)
    return {problem: _largest(pairs) for problem, pairs in found.items()}


def neighbours(runs: Sequence[CodeRun]) -> dict[int, CodeRun]:
    """Return the reference's run beside each candidate's run of a pair, by the ``id`` of the latter."""
    found: dict[int, CodeRun] = {}
    for purpose in (Purpose.PAIRED, Purpose.SAME, Purpose.GROWTH):
        for pairs in _pairs(runs, purpose).values():
            found |= {id(pair.candidate): pair.reference for pair in pairs}
    return found


def _pairs(runs: Sequence[CodeRun], purpose: Purpose) -> dict[tuple[str, int], tuple[Pair, ...]]:
    """Return the pairs of each sample; the reference's runs belong to the candidate of their group.

    A candidate that fails is not run on, so its last run may have none of the reference behind it: then it
    is paired with the one before.
    """
    found: dict[tuple[str, int], list[Pair]] = {}
    for problem, group in _all_groups(runs, purpose):
        mine = [run for run in group if run.role == CANDIDATE]
        if not mine or mine[0].sample is None:
            continue
        pairs = found.setdefault((problem, mine[0].sample), [])
        others = [run for run in group if run.role == REFERENCE]
        if not others and pairs:
            others = [pairs[-1].reference]
        pairs.extend(Pair(a, b) for a, b in zip(others, mine, strict=False))
    return {key: tuple(pairs) for key, pairs in found.items() if pairs}


def _all_groups(runs: Sequence[CodeRun], purpose: Purpose) -> Iterator[tuple[str, list[CodeRun]]]:
    by_problem: dict[str, list[CodeRun]] = {}
    for run in runs:
        if run.purpose is purpose and run.pair is not None:
            by_problem.setdefault(run.problem, []).append(run)
    for problem, mine in by_problem.items():
        for group in _groups(mine):
            yield problem, group


def _groups(runs: Sequence[CodeRun]) -> Iterator[list[CodeRun]]:
    """Yield the runs of one pair of one candidate, from the runs of one problem in the journal's order.

    Numbers of pairs may start anew with each candidate: a group ends where the number or the input changes,
    where the position falls back, and where another candidate's run comes.
    """
    group: list[CodeRun] = []
    for run in runs:
        if group and _starts_anew(group, run):
            yield group
            group = []
        group.append(run)
    if group:
        yield group


def _starts_anew(group: Sequence[CodeRun], run: CodeRun) -> bool:
    last = group[-1]
    if (run.pair, run.case, run.size) != (last.pair, last.case, last.size):
        return True
    if run.position is not None and last.position is not None and run.position <= last.position:
        return True
    others = [one.sample for one in group if one.role == CANDIDATE]
    return run.role == CANDIDATE and bool(others) and run.sample != others[0]


def _largest(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    largest = max((pair.candidate.size or 0 for pair in pairs), default=0)
    return tuple(pair for pair in pairs if (pair.candidate.size or 0) == largest)
