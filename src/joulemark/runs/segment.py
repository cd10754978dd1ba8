"""The open segment of a run: its stamps and windows, written to the manifest as they happen."""

from __future__ import annotations

import time

import joulemark
from joulemark.calibration.node import host_hash
from joulemark.files.boot import boot_id
from joulemark.record.clock import Clock
from joulemark.record.manifest import Engine, Manifest, Segment, Window
from joulemark.record.window_name import WindowName
from joulemark.runs.layout import RunLayout


class OpenSegment:
    """A segment while it runs. Every change is on the disk before the call returns."""

    def __init__(self, manifest: Manifest, layout: RunLayout, clock: Clock, engine: Engine) -> None:
        self._manifest, self._layout, self._clock = manifest, layout, clock
        self.facts = Segment(
            index=len(manifest.segments),
            boot_id=boot_id(),
            host_hash=host_hash(),
            wall_anchor_ns=time.time_ns(),
            t0=clock.now_ns(),
            engine_pid=engine.pid,
            engine_local=engine.local,
            joulemark_version=joulemark.__version__,
        )
        manifest.segments.append(self.facts)
        self._window: Window | None = None
        self.save()

    def now_ns(self) -> int:
        """The time on the segment's clock."""
        return self._clock.now_ns()

    @property
    def index(self) -> int:
        """The segment's number in its run."""
        return self.facts.index

    @property
    def window_name(self) -> WindowName | None:
        """The name of the open window, null where there is none."""
        return None if self._window is None else WindowName(self._window.name)

    def open_window(self, name: WindowName) -> None:
        """Begin a named window, ending the one before."""
        self.close_window()
        self.stamp_window(name)
        self.save()

    def stamp_window(self, name: WindowName) -> None:
        """Begin a named window in memory, ending the one before at the same instant; `save` has to follow."""
        now = self._clock.now_ns()
        if self._window is not None:
            self._window.t1 = now
        self._window = Window(name=name, segment=self.index, t0=now)
        self._manifest.windows.append(self._window)

    def close_window(self, t1: int | None = None) -> None:
        """End the open window, if there is one: now, or at ``t1`` where that is given and lies inside it."""
        if self._window is not None:
            now = self._clock.now_ns()
            self._window.t1 = now if t1 is None else min(max(t1, self._window.t0), now)
            self._window = None
            self.save()

    def save(self) -> None:
        """Write the manifest."""
        self._layout.write_manifest(self._manifest)
