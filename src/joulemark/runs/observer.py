"""Who watches a run: told of stages, items and pauses, so that long work shows its progress."""

from __future__ import annotations

from joulemark.record.item import Item


class Observer:
    """Hears what happens; this one does nothing (a null object), a front end overrides what it shows."""

    def stage(self, what: str) -> None:
        """A step of the preparation began."""

    def started(self, total: int, done: int) -> None:
        """Asking begins: ``total`` answers wanted, ``done`` of them already stored."""

    def item(self, item: Item) -> None:
        """An item was stored."""

    def standing(self, what: str, enough: float | None) -> None:
        """How far the run is from what is to end it early, in words.

        ``enough``: after about which share of all answers that will be, null where it cannot be told.
        """

    def note(self, what: str) -> None:
        """Something the user should know."""
