"""Looking a name up without waiting longer than a deadline: the system's resolver knows none."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from typing import Any

from joulemark.meters.http.deadline import Deadline, Unanswered


def resolve(host: str, port: int, deadline: Deadline) -> list[tuple[Any, ...]]:
    """Return the rows of `socket.getaddrinfo`; raises `Unanswered` (``name_unknown``, ``timeout``)."""
    if _is_number(host):
        found = _look_up(host, port)
    else:
        answers: queue.SimpleQueue[list[tuple[Any, ...]] | OSError] = queue.SimpleQueue()
        thread = threading.Thread(
            target=lambda: answers.put(_look_up(host, port)), name="look-up", daemon=True
        )
        thread.start()  # and left behind where it takes too long
        try:
            found = answers.get(timeout=deadline.left_s())
        except queue.Empty:
            raise deadline.missed() from None
    if isinstance(found, OSError):
        raise Unanswered("name_unknown", found.strerror or str(found)) from found
    return found


def _look_up(host: str, port: int) -> list[tuple[Any, ...]] | OSError:
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as error:
        return error if isinstance(error, OSError) else OSError(str(error))


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
