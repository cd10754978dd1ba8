"""A board that cannot listen says whether the host is wrong, or the port."""

from __future__ import annotations

import errno
import socket

import pytest

from joulemark.board.serving.server import _cannot_listen, listen
from joulemark.record.errors import InputError


def test_a_host_that_is_not_here_is_named_with_another_host() -> None:
    with pytest.raises(InputError) as caught:
        listen("192.0.2.1", 8765)
    assert "192.0.2.1 is no address of this machine" in caught.value.why
    assert "--host" in caught.value.fix
    assert "--port" not in caught.value.fix


def test_a_port_that_is_taken_is_named_with_another_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError) as caught:
        listen("127.0.0.1", taken.getsockname()[1])
    assert "--port" in caught.value.fix
    assert "--host" not in caught.value.fix


def test_a_port_of_root_is_told() -> None:
    told = _cannot_listen("127.0.0.1", 80, PermissionError(errno.EACCES, "Permission denied"))
    assert "below 1024" in told.why
    assert "--port 8765" in told.fix
