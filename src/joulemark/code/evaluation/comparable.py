"""Whether figures of several evaluations may stand side by side, and what differs where they may."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.evaluation.settings import Settings
from joulemark.code.evaluation.sound import open_problems
from joulemark.record.errors import InputError

DECIDING = ("n_tests", "seed", "timeout_s", "memory_mib")
"""Settings that decide what is right and which inputs are timed; the others decide how much is measured."""

Labelled = tuple[str, EvaluationRecord]


def differing(first: Settings, second: Settings) -> dict[str, tuple[object, object]]:
    """Return both values of each setting that differs."""
    a, b = first.model_dump(mode="json"), second.model_dump(mode="json")
    return {name: (a[name], b[name]) for name in a if a[name] != b[name]}


def what_differs(there: EvaluationRecord, now: EvaluationRecord) -> str:
    """Return in words what makes an evaluation another one than that of a directory; it must be another."""
    said = [
        f"{name} ({a} there, {b} now)" for name, (a, b) in differing(there.settings, now.settings).items()
    ]
    if there.problems_digest != now.problems_digest:
        said.append(_more_and_fewer("problems", set(there.problems), set(now.problems)))
    elif there.samples_digest != now.samples_digest:
        said.append("the programs that answer them")
    if there.environment_id != now.environment_id:
        said.append("the machine, its interpreter, or what holds programs there")
    if there.procedure != now.procedure:
        said.append(f"procedure ({there.procedure} there, {now.procedure} now: another version of Joulemark)")
    return "; ".join(said) or "what decides its figures"


def _more_and_fewer(what: str, there: AbstractSet[str], now: AbstractSet[str]) -> str:
    if there == now:
        return f"what the {what} are (of the same ids)"
    return f"{what} ({len(there)} there, {len(now)} now, {len(there & now)} of them in both)"


def why_not_comparable(
    first: EvaluationRecord, second: EvaluationRecord, *, one_machine: bool = True
) -> tuple[str, str] | None:
    """Return in what two evaluations differ so that their figures rank nothing, and why; null for nothing.

    ``one_machine``: whether they must be of one environment. The number of tests may differ for the same
    answers and problems: what tests change is then the question.
    """
    if one_machine and first.environment_id != second.environment_id:
        return "another environment", "times belong to a machine: figures of two rank nothing"
    if first.problems_digest != second.problems_digest:
        return "other problems", "figures of different problems rank nothing"
    if first.procedure != second.procedure:
        return "another version's procedure", f"procedures {first.procedure} and {second.procedure} differ"
    found = differing(first.settings, second.settings)
    deciding = {name: found[name] for name in DECIDING if name in found}
    if set(deciding) == {"n_tests"} and first.samples_digest == second.samples_digest:
        return None
    if deciding:
        return "other settings", "; ".join(f"{name}: {a} and {b}" for name, (a, b) in deciding.items())
    return None


def require_finished(label: str, record: EvaluationRecord, recorded: Recorded) -> None:
    """Raise `InputError` for an evaluation that has no rows of some of its problems.

    What takes longest ends last, so those that are missing are slow or endless ones: without them it would
    be compared by the easier part of its programs.
    """
    missing = (*open_problems(record, recorded), *recorded.unsound)
    if missing:
        named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise InputError(
            f"{label} is not finished",
            why=f"{len(missing)} of {len(record.problems)} problems have no rows: {named}",
            fix=f"joulemark code eval SAMPLES --into {label}   # the command that made it goes on from there",
        )


def require_comparable(evaluations: Sequence[Labelled]) -> None:
    """Raise `InputError` for evaluations on one machine whose figures may not stand side by side."""
    for label, record in evaluations[1:]:
        why = why_not_comparable(evaluations[0][1], record)
        if why is not None:
            raise InputError(f"{label} is of {why[0]}", why=why[1], fix=_FIXES.get(why[0], _SAME))


def require_same_on_machines(evaluations: Sequence[Labelled]) -> None:
    """Raise `InputError` unless every model has one set of answers, once on each machine."""
    seen: dict[tuple[str, str], str] = {}
    answers: dict[str, tuple[str, str]] = {}
    first = evaluations[0][1]
    for label, record in evaluations:
        why = why_not_comparable(first, record, one_machine=False)
        if why is None and "n_tests" in differing(first.settings, record.settings):
            why = "other settings", "machines are compared with one number of tests"
        if why is not None:
            raise InputError(f"{label} is of {why[0]}", why=why[1], fix=_SAME)
        there = seen.setdefault((record.environment_id, record.model), label)
        if there != label:
            raise InputError(
                f"{label} and {there} are of one model on one machine",
                why="only one of them could stand for it",
                fix="name one of the two, or tell models apart with --model",
            )
        digest, other = answers.setdefault(record.model, (record.samples_digest, label))
        if digest != record.samples_digest:
            raise InputError(
                f"{label} and {other} are of other answers of {record.model}",
                why="what differs between machines must be the machine alone",
                fix=_SAME,
            )


_SAME = "evaluate the same problems with the same options"
_FIXES = {"another environment": "joulemark code compare-environments DIR DIR"}
