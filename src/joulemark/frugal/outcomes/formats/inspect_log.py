"""Outcomes in a log of UK AISI's inspect: JSON, or its ``.eval`` archives."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from joulemark.frugal.outcomes.formats.columns import DOMAIN_NAMES, first_of, number_of, outcomes_of
from joulemark.frugal.outcomes.formats.graded import graded_as
from joulemark.frugal.outcomes.formats.matrix import NO_ARCHIVE
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

Log = Mapping[str, Any]
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # inspect's own letters and what it makes of them
_MAX_BYTES = 2_000_000_000


def is_inspect(document: object) -> bool:
    """Tell whether a JSON document is a log of inspect."""
    return (
        isinstance(document, Mapping) and isinstance(document.get("eval"), Mapping) and "samples" in document
    )


def read_eval(path: Path, *, metric: str | None) -> Outcomes:
    """Read a ``.eval`` archive. Raises `InputError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json")]
            if sum(archive.getinfo(name).file_size for name in (*names, "header.json")) > _MAX_BYTES:
                raise ValueError("what it holds is larger than 2 GB")
            log = {
                **orjson.loads(archive.read("header.json")),
                "samples": [orjson.loads(archive.read(name)) for name in names],
            }
        if not is_inspect(log):
            raise ValueError("its header is none of inspect's")
    except (ValueError, KeyError, TypeError, *NO_ARCHIVE) as error:
        raise InputError(
            f"{path} cannot be read as an inspect log",
            why=str(error) or type(error).__name__,
            fix=f"inspect log convert {path.name} --to json --output-dir logs",
        ) from error
    try:
        return of_log(log, path, metric=metric)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path} is no inspect log of a known form", why=str(error), fix="name another file"
        ) from error


def of_log(log: Log, path: Path, *, metric: str | None) -> Outcomes:
    """Return the samples of a log as outcomes, epochs of one as their mean.

    ``metric`` is the name of a scorer, null the first. Costs: ``e2el_s`` where the log has times (inspect's
    working time, without waiting for limits), tokens where it has usage. Raises `InputError`.
    """
    samples: Sequence[Log] = [one for one in log["samples"] or () if isinstance(one, Mapping)]
    scorers = list(dict.fromkeys(name for one in samples for name in one.get("scores") or {}))
    plain = metric in (None, "accuracy", "correct", "score")
    scorer = (scorers or [""])[0] if plain else metric
    if scorer not in scorers:
        raise InputError(
            f"{path} has no scores" if plain else f"{path} has no scorer {metric!r}",
            why=f"there are {', '.join(scorers) or 'none'}",
            fix="name a finished log, or one of its scorers with --metric",
        )
    grades = [_grade(one, str(scorer)) for one in samples]
    known = np.array([one for one in grades if math.isfinite(one)])
    is_share = bool(((known >= 0) & (known <= 1)).all())
    by_id: dict[str, list[Log]] = {}
    marks: dict[str, list[float]] = {}
    n_failed = 0
    for sample, grade in zip(samples, grades, strict=True):
        failed = is_share and not math.isfinite(grade) and _is_failed(sample)
        n_failed += failed
        by_id.setdefault(str(sample.get("id")), []).append(sample)
        marks.setdefault(str(sample.get("id")), []).append(0.0 if failed else grade)
    groups = list(by_id.values())
    costs = {
        "e2el_s": [_mean(_seconds(one) for one in group) for group in groups],
        "prompt_tokens": [_mean(_tokens(one, "input_tokens") for one in group) for group in groups],
        "completion_tokens": [_mean(_tokens(one, "output_tokens") for one in group) for group in groups],
    }
    header = log["eval"]
    task = header.get("task")
    return outcomes_of(
        str(header.get("model") or task or path.stem),
        # one epoch without a grade, and nobody knows the mean of them all
        np.array([math.fsum(of) / len(of) for of in marks.values()]),
        origin=str(path),
        column=str(scorer),
        item_ids=list(by_id),
        domains=_domains([group[0] for group in groups]),
        costs={name: np.array(of) for name, of in costs.items() if any(map(math.isfinite, of))},
        notes=[
            *([f"scored by {scorer}; there are {', '.join(scorers)}"] if len(scorers) > 1 else []),
            *([f"{n_failed:,} samples that ended in an error count as not right"] if n_failed else []),
        ],
        task=str(task) if task else None,
        graded=graded_as(known, str(scorer), in_words=any(_is_letter(one, str(scorer)) for one in samples)),
    )


def _grade(sample: Log, scorer: str) -> float:
    value = _value(sample, scorer)
    if isinstance(value, str) and value in _GRADES:
        return _GRADES[value]
    return number_of(value)


def _value(sample: Log, scorer: str) -> object:
    score = (sample.get("scores") or {}).get(scorer)
    return score.get("value") if isinstance(score, Mapping) else None


def _is_letter(sample: Log, scorer: str) -> bool:
    value = _value(sample, scorer)
    return isinstance(value, str) and value in _GRADES


def _is_failed(sample: Log) -> bool:
    """Tell whether a sample without a grade has none for an error, or for a limit that it met."""
    return bool(sample.get("error") or sample.get("limit"))


def _seconds(sample: Log) -> float:
    return number_of(sample.get("working_time") or sample.get("total_time"))


def _tokens(sample: Log, name: str) -> float:
    usage = sample.get("model_usage")
    if not isinstance(usage, Mapping) or not usage:
        return math.nan
    return math.fsum(number_of(one.get(name)) for one in usage.values() if isinstance(one, Mapping))


def _domains(samples: Sequence[Log]) -> list[str] | None:
    found = [one.get("metadata") for one in samples]
    first = found[0] if found else None
    name = first_of(DOMAIN_NAMES, list(first)) if isinstance(first, Mapping) else None
    return None if name is None else [str((one or {}).get(name)) for one in found]


def _mean(of: Iterable[float]) -> float:
    known = [one for one in of if math.isfinite(one)]
    return math.fsum(known) / len(known) if known else math.nan
