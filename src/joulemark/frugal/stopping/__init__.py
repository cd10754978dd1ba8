"""Stopping while a run is on: what is known of the items asked so far, and when that is enough (ADR 13)."""
