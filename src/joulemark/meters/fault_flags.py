"""Flags by which a meter says itself that energy is missing before a reading."""

from __future__ import annotations

RESET_MARKER = "reset_marker"  # its count began anew; a fall of the count shows by itself
OVERLOAD = "overload"  # more than its range: what it clipped is not counted
