"""A Prometheus server asked for the latest sample of a series, with the instant at which it was taken.

An instant query stamps its answer with the time of the evaluation, and answers with samples of up to five
minutes ago as if they were new. A query for a range (``series[5m]``) gives the raw samples with their own
stamps; so that is what is asked where the expression names a plain series. Definition: the HTTP API page of
the Prometheus documentation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any
from urllib.parse import urlencode

from joulemark.meters.http.answer import LATEST_S
from joulemark.meters.http.deadline import REQUEST_S, Unanswered
from joulemark.meters.http.words import cleaned
from joulemark.meters.prometheus.exposition import Sample, number
from joulemark.meters.prometheus.scrape import get_page

LOOKBACK_S = 300.0
ANSWER_LIMIT_BYTES = 2 * 2**20


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a server said: the latest sample of each series, and its clock in seconds of UTC.

    ``interval_s`` is the median distance of the samples; null where fewer than two were seen.
    """

    samples: tuple[Sample, ...]
    date_s: float | None
    interval_s: float | None = None


def ask(
    url: str,
    expression: str,
    headers: Mapping[str, str],
    *,
    is_series: bool,
    lookback_s: float = LOOKBACK_S,
    timeout_s: float = REQUEST_S,
) -> QueryAnswer:
    """Return the latest samples of ``expression``, with their own stamps where it ``is_series``.

    A series is looked for in the last ``lookback_s`` seconds. Raises `Unanswered`, with reason
    ``http_400`` where the server cannot read the expression.
    """
    query = f"{expression}[{lookback_s:.0f}s]" if is_series else expression
    page = get_page(f"{url}?{urlencode({'query': query})}", timeout_s, ANSWER_LIMIT_BYTES, headers=headers)
    try:
        document = json.loads(page.body)
        data = document["data"]
        kind, result = data["resultType"], data["result"]
        samples: tuple[Sample, ...]
        if kind == "scalar":
            samples, interval_s = (_instant({}, result),), None
        elif kind == "vector":
            samples, interval_s = tuple(_instant(row["metric"], row["value"]) for row in result), None
        elif kind == "matrix":
            samples = tuple(_stamped(row["metric"], row["values"][-1]) for row in result if row.get("values"))
            interval_s = _interval_s(result[0]["values"]) if len(result) == 1 and samples else None
        else:
            raise ValueError(kind)
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unanswered("no_prometheus_server", "the answer is not that of a query") from error
    return QueryAnswer(samples, page.date_s, interval_s)


def _instant(metric: Mapping[str, str], pair: Any) -> Sample:
    """Read a pair whose stamp is that of the evaluation and says nothing of the sample."""
    sample = _stamped(metric, pair)
    return Sample(sample.name, sample.labels, sample.value, None, sample.text)


def _stamped(metric: Mapping[str, str], pair: Any) -> Sample:
    t_s, text = pair
    if not isinstance(text, str) or not 0 <= t_s < LATEST_S:
        raise ValueError("no pair of stamp and value")
    labels = {cleaned(str(k)): cleaned(str(v)) for k, v in metric.items() if k != "__name__"}
    return Sample(cleaned(str(metric.get("__name__", "")), 200), labels, number(text), float(t_s), text)


def _interval_s(pairs: Any) -> float | None:
    stamps = [float(pair[0]) for pair in pairs if 0 <= pair[0] < LATEST_S]
    steps = [b - a for a, b in pairwise(stamps) if b > a]
    return median(steps) if steps else None
