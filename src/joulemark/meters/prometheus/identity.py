"""Which series a meter reads, whatever its user calls it: two selectors may mean one series."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.meters.http.page_name import resolved_name
from joulemark.meters.prometheus.exposition import Sample
from joulemark.meters.source import digest_of


def shown_at(url: str, expressions: Sequence[str], samples: Sequence[Sample]) -> str:
    """Return what `joulemark.meters.source.SHOWS` keeps of the series that answered to ``expressions``.

    What an expression computed has no name of its own and is told by the expression.
    """
    page = resolved_name(url)
    told = [
        f"{page}#{sample.name or expression}{sorted(sample.labels.items())}"
        for expression, sample in zip(expressions, samples, strict=True)
    ]
    return " ".join(map(digest_of, told))
