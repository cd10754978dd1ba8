"""The files of a bundle, and how much of them anybody has to read."""

from __future__ import annotations

FORMAT = "joulemark-bundle"
SCHEMA_VERSION = "1"
LICENCE = "CC-BY-4.0"

BUNDLE = "bundle.json"
SIGNATURE = "signature.json"
RUN = "run.json"
ENVIRONMENT = "environment.json"
QUALIFICATION = "qualification.json"
BASELINES = "baselines.json"
FIGURES = "figures.json"
ITEMS = "items.jsonl"
TELEMETRY = "telemetry.jsonl"

SIGNED = (RUN, ENVIRONMENT, QUALIFICATION, BASELINES, FIGURES, ITEMS, TELEMETRY)
"""Those whose hash stands in `BUNDLE`, which is what is signed."""
MEMBERS = (BUNDLE, SIGNATURE, *SIGNED)
"""All of them, in the order in which they stand in the archive: these and no others."""

MAX_PACKED = 8 * 2**20
MAX_UNPACKED = 64 * 2**20
MAX_RATIO = 100
MAX_DOCUMENT = 2 * 2**20
"""Of what is one document, not lines; that of a long run with many meters has a hundredth of it."""
MAX_ITEMS = 100_000
MAX_SAMPLES = 500_000
MAX_IN_FLIGHT = 8192
"""More requests at one moment than any run of ours asks: what they are charged takes items × requests."""
_SMALL = 256  # bytes; a file of a few letters has any ratio


def is_too_dense(packed: int, unpacked: int) -> bool:
    """Tell whether a file is compressed further than files of ours are: it may be a bomb."""
    return unpacked > MAX_RATIO * max(packed, _SMALL)
