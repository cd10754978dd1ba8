"""How often meters update and are read, where nothing better is known."""

from __future__ import annotations

DEFAULT_UPDATE_S = 0.1  # NVML's, where the self-test saw no update
GAP_POLLS = 5  # so many poll periods without a reading are a gap
