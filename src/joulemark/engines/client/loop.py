"""The event loop and the garbage collector of a measuring process."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a uvloop event loop where uvloop can be imported, asyncio's own otherwise."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


@contextmanager
def quiet_gc() -> Iterator[None]:
    """Keep the cyclic garbage collector out of a measured window.

    What exists at the start is collected, then frozen; the client itself leaves no cycles behind, so that
    memory does not grow for want of the collector.
    """
    was_enabled = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()
