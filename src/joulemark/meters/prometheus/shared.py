"""One scrape of a page for all who wait for it: boards that are read at once are not a request each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.dcgm_board import WANTED, DcgmBoard, boards_on
from joulemark.meters.prometheus.exposition import read_page
from joulemark.meters.prometheus.scrape import get_page, token_headers
from joulemark.record.clock import Clock


@dataclass(frozen=True, slots=True)
class Scraped:
    """The boards of a page, and the clock's stamps around the request."""

    boards: dict[str, DcgmBoard]
    begin_ns: int
    end_ns: int


class SharedPage:
    """A DCGM exporter's page; safe for threads.

    A scrape serves every reader that asked before it began and no other: what is read at the end of a window
    must not show what was before it.
    """

    def __init__(self, url: str, clock: Clock | None) -> None:
        self._url, self._clock = url, clock
        self._now_ns: Callable[[], int] = time.monotonic_ns if clock is None else clock.now_ns
        self._lock = threading.Lock()
        self._scraped: Scraped | None = None
        self._begun = 0  # scrapes

    @classmethod
    def of(cls, url: str, clock: Clock | None) -> SharedPage:
        """Return the page of this URL on this clock that others read already, or a new one."""
        with _LOCK:
            key = (url, id(clock))  # the page holds its clock, so the number is not given to another
            page = _PAGES.get(key)
            if page is None:
                page = _PAGES[key] = cls(url, clock)
            return page

    def look(self) -> Scraped:
        """Return the page from a scrape that began after this call; raises `Unanswered`."""
        begun = self._begun
        with self._lock:
            scraped = self._scraped
            if scraped is not None and self._begun > begun:
                return scraped
            self._begun += 1
            self._scraped = None
            begin_ns = self._now_ns()
            boards = boards_at(self._url)
            self._scraped = scraped = Scraped(boards, begin_ns, self._now_ns())
            return scraped


def boards_at(url: str) -> dict[str, DcgmBoard]:
    """Fetch a page and return its boards; raises `Unanswered`, also where the page is not DCGM's."""
    page = get_page(url, headers=token_headers())
    boards = boards_on(read_page(page, WANTED))
    if not boards:
        raise Unanswered("no_boards", "the page has no series of DCGM with a board's UUID")
    return boards


_LOCK = threading.Lock()
_PAGES: WeakValueDictionary[tuple[str, int], SharedPage] = WeakValueDictionary()
