"""What was made, kept in memory until somebody asks for it: no disk is written while it is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Medium = Sequence[Any]
"""The frames of a video, or a picture as its only frame: PIL images."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """How many pictures or videos were written, and how many had been dropped for want of room."""

    saved: int
    dropped: int


class Shelf:
    """Keeps media up to ``max_bytes`` of pixels (three bytes each); what comes later is dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._bytes = max_bytes, 0
        self._kept: list[tuple[int, int, Medium]] = []
        self._dropped = 0

    def put(self, batch: int, media: Sequence[Medium]) -> None:
        """Keep the media of a batch; ``batch`` numbers it from 0."""
        for place, frames in enumerate(media):
            size = sum(frame.width * frame.height * 3 for frame in frames)
            if self._bytes + size > self._max_bytes:
                self._dropped += 1
                continue
            self._bytes += size
            self._kept.append((batch, place, frames))

    def flush(self, folder: Path) -> Flushed:
        """Write what is kept into ``folder`` as PNG, videos as animated PNG, and keep nothing any more.

        Raises ``OSError``.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for batch, place, frames in self._kept:
            path = folder / f"{batch:05d}-{place:03d}.png"
            if len(frames) == 1:
                frames[0].save(path)
            else:
                frames[0].save(path, save_all=True, append_images=list(frames[1:]))
        return self.drop(saved=len(self._kept))

    def drop(self, *, saved: int = 0) -> Flushed:
        """Forget everything; ``saved`` of it were written."""
        told = Flushed(saved, self._dropped + len(self._kept) - saved)
        self._kept.clear()
        self._bytes = self._dropped = 0
        return told
