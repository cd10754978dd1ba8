"""What numbers a user may give: the command line refuses others, and so does whoever reads a manifest."""

from __future__ import annotations

USD_PER_KWH = (0.0, 1_000.0)
GCO2E_PER_KWH = (0.0, 10_000.0)
USD_PER_MILLION_TOKENS = (0.0, 1_000_000.0)
PUE = (1.0, 10.0)
EMBODIED_KGCO2E = (0.0, 10_000_000.0)
LIFETIME_YEARS = (0.0, 100.0)
"""Years above 0."""
IDLE_W = (0.0, 1_000_000.0)
"""Of all devices of a headline together."""
