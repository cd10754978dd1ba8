"""What to run for a workload: candidates from runs and published rows, priced, ranked, and ruled out.

Pure: `pick` takes candidates (`measured_candidate`, `published_candidate`), a workload and what is wanted.
"""

from joulemark.metrics.picking.candidate import (
    Candidate,
    Transfer,
    measured_candidate,
    published_candidate,
    with_transfers,
)
from joulemark.metrics.picking.columns import Columns, columns
from joulemark.metrics.picking.constraints import Bound, Constraint, Kept, Named
from joulemark.metrics.picking.pick import (
    OBJECTIVES,
    NotPriced,
    Picked,
    Ranked,
    RuledOut,
    Table,
    Wanted,
    pick,
)
from joulemark.metrics.picking.pick_json import picked_json
from joulemark.metrics.picking.price import Priced, price
from joulemark.metrics.picking.shortlist import Shortlist, shortlist
from joulemark.metrics.picking.texts import TextWorkload, TokenRates, token_rates
from joulemark.metrics.picking.workload import Spread, Workload, declared, sampled

__all__ = [
    "OBJECTIVES",
    "Bound",
    "Candidate",
    "Columns",
    "Constraint",
    "Kept",
    "Named",
    "NotPriced",
    "Picked",
    "Priced",
    "Ranked",
    "RuledOut",
    "Shortlist",
    "Spread",
    "Table",
    "TextWorkload",
    "TokenRates",
    "Transfer",
    "Wanted",
    "Workload",
    "columns",
    "declared",
    "measured_candidate",
    "pick",
    "picked_json",
    "price",
    "published_candidate",
    "sampled",
    "shortlist",
    "token_rates",
    "with_transfers",
]
