"""The parent's end of the channel against whatever can be sent."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.contain.called import announced_sizes, result_of
from joulemark.code.contain.channel import Channel, Closed
from joulemark.code.contain.ended import Ended, by_status, said
from joulemark.code.inside.wire import MAX_MESSAGE_BYTES, Wire
from joulemark.code.inside.wire import Closed as WireClosed
from joulemark.record.code_run import Outcome


class Enough(Exception):
    """Raised by a look, as a limit would be."""


def _after(seconds: float) -> Callable[[], None]:
    until = time.monotonic() + seconds

    def look() -> None:
        if time.monotonic() > until:
            raise Enough

    return look


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    with theirs:
        yield channel, theirs
    channel.close()


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def test_messages_arrive_in_order_however_they_are_cut(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    sent = b"".join(_framed(json.dumps({"n": number}).encode()) for number in range(20))

    def write() -> None:
        for at in range(0, len(sent), 7):
            theirs.sendall(sent[at : at + 7])

    writer = threading.Thread(target=write)
    writer.start()
    assert [channel.receive(_after(10)) for _ in range(20)] == [{"n": number} for number in range(20)]
    writer.join()
    assert channel.is_silent()


def test_both_ends_speak_the_same(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    wire = Wire(theirs.fileno())
    wire.send({"text": "\u00e9\ud800"})
    assert channel.receive(_after(5)) == {"text": "\u00e9\ud800"}
    big = {"inputs": ["x" * 1_000_000]}
    reader_found: list[object] = []
    reader = threading.Thread(target=lambda: reader_found.append(wire.receive()))
    reader.start()
    channel.send(big, _after(10))
    reader.join()
    assert reader_found == [big]
    channel.close()
    with pytest.raises(WireClosed):
        wire.receive()


def test_bytes_that_follow_a_message_are_taken_as_they_are(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    data = os.urandom(3_000_000)
    wire = Wire(theirs.fileno())

    def write() -> None:
        wire.send({"sizes": [0, len(data)]})
        wire.send_bytes(data)
        wire.send({"kind": "next"})

    writer = threading.Thread(target=write)
    writer.start()
    assert channel.receive(_after(10)) == {"sizes": [0, len(data)]}
    assert channel.receive_bytes(0, _after(10)) == b""
    assert channel.receive_bytes(len(data), _after(10)) == data
    assert channel.receive(_after(10)) == {"kind": "next"}
    writer.join()
    with pytest.raises(Enough):
        channel.receive_bytes(1, _after(0.1))


@pytest.mark.parametrize(
    ("message", "sizes"),
    [
        ({"kind": "returned", "sizes": [3, 0]}, [3, 0]),
        ({"kind": "returned", "sizes": [3]}, None),
        ({"kind": "returned", "sizes": [3, -1]}, None),
        ({"kind": "returned", "sizes": [3, True]}, None),
        ({"kind": "returned", "sizes": [3, 1.0]}, None),
        ({"kind": "returned", "sizes": [MAX_MESSAGE_BYTES, 1]}, None),
        ({"kind": "raised", "sizes": [3, 0]}, None),
        ({"kind": "returned", "sizes": "30"}, None),
        ({"kind": "returned", "values": ["1", "2"]}, None),
    ],
)
def test_sizes_that_can_be_are_announced_or_none(message: dict[str, object], sizes: list[int] | None) -> None:
    assert announced_sizes(message, 2) == sizes


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        (b"\xff" * 4, Outcome.BROKE_PROTOCOL),
        ((MAX_MESSAGE_BYTES + 1).to_bytes(4, "big"), Outcome.BROKE_PROTOCOL),
        (_framed(b""), Outcome.BROKE_PROTOCOL),
        (_framed(b"[1]"), Outcome.BROKE_PROTOCOL),
        (_framed(b"null"), Outcome.BROKE_PROTOCOL),
        (_framed(b"{"), Outcome.BROKE_PROTOCOL),
        (_framed(b"[" * 100_000), Outcome.BROKE_PROTOCOL),
        (_framed('{"a":"\u00e9"}'.encode()), Outcome.BROKE_PROTOCOL),
        (_framed(b"\x80\x04."), Outcome.BROKE_PROTOCOL),
        (_framed(b"[" + b"[]," * 9_000_000 + b"[]]"), Outcome.OVER_OUTPUT),
        (_framed(b'{"a":' + b"9" * 100_000 + b"}"), Outcome.BROKE_PROTOCOL),
    ],
)
def test_what_is_no_message_ends_the_program(
    ends: tuple[Channel, socket.socket], sent: bytes, outcome: Outcome
) -> None:
    channel, theirs = ends
    writer = threading.Thread(target=theirs.sendall, args=(sent,))
    writer.start()
    begin = time.monotonic()
    with pytest.raises(Ended) as caught:
        channel.receive(_after(20))
    writer.join()
    assert caught.value.outcome is outcome
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("part", [b"", b"x", b"x" * 4096])
def test_limits_are_looked_at_while_bytes_keep_coming(
    ends: tuple[Channel, socket.socket], part: bytes
) -> None:
    channel, theirs = ends
    theirs.sendall((60 << 20).to_bytes(4, "big"))
    stop = threading.Event()

    def drip() -> None:
        while not stop.is_set():
            if part:
                theirs.send(part)
            time.sleep(0.0001)

    writer = threading.Thread(target=drip)
    writer.start()
    with pytest.raises(Enough):
        channel.receive(_after(0.3))
    stop.set()
    while writer.is_alive():
        channel.is_silent()  # room for the last part
        writer.join(0.01)


def test_limits_are_looked_at_while_nothing_is_read(ends: tuple[Channel, socket.socket]) -> None:
    channel, _ = ends
    with pytest.raises(Enough):
        channel.send({"x": "y" * 10_000_000}, _after(0.2))


def test_a_closed_end_is_said_to_be_closed(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.sendall(_framed(b'{"last":1}') + b"\0\0")
    theirs.close()
    assert not channel.is_silent()
    assert channel.receive(_after(5)) == {"last": 1}
    with pytest.raises(Closed):
        channel.receive(_after(5))
    with pytest.raises(Closed):
        channel.send({}, _after(5))


def test_descriptors_that_are_sent_along_are_not_kept(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        socket.send_fds(theirs, [_framed(b"{}")], [0, 1, 2])
        assert channel.receive(_after(5)) == {}
    assert len(os.listdir("/proc/self/fd")) == before


def test_memory_is_sampled_while_bytes_keep_coming(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    taken: list[float] = []
    over = threading.Event()

    def drip() -> None:
        theirs.sendall((1 << 20).to_bytes(4, "big"))
        with contextlib.suppress(OSError):  # until the other end is closed
            while not over.is_set():
                theirs.sendall(b" ")

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        with pytest.raises(Enough):
            channel.receive(_after(0.3), lambda: taken.append(time.monotonic()), 0.002)
    finally:
        over.set()
        channel.close()
        dripping.join(5)
    assert len(taken) > 20


def test_memory_is_sampled_while_nothing_comes(ends: tuple[Channel, socket.socket]) -> None:
    channel, _ = ends
    taken: list[float] = []
    with pytest.raises(Enough):
        channel.receive(_after(0.3), lambda: taken.append(time.monotonic()), 0.002)
    assert len(taken) > 20


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["returned", "raised", "over_output"]) | _json,
            "values": st.lists(st.sampled_from(["1", "[", '{"t":[]}', '{"c":[1e999,0]}', "é"]) | _json)
            | _json,
            "detail": _json,
            "type": st.sampled_from(["MemoryError", "SystemExit"]) | _json,
        },
    ),
    st.integers(0, 3),
)
def test_no_message_makes_the_parent_fail(message: dict[str, object], n_calls: int) -> None:
    outcome, values, detail = result_of(message, n_calls)
    if outcome is Outcome.RETURNED:
        assert message["kind"] == "returned"
        assert len(values) == n_calls
    detail.encode()
    assert detail.replace("\n", "").replace("\t", "").isprintable()


def test_a_result_that_is_deeper_than_any_program_may_return_is_none() -> None:
    for depth, outcome in (
        (140, Outcome.RETURNED),
        (180, Outcome.BROKE_PROTOCOL),
        (10_000, Outcome.BROKE_PROTOCOL),
    ):
        text = "[" * depth + "]" * depth
        assert result_of({"kind": "returned", "values": [text]}, 1)[0] is outcome


@given(st.binary())
def test_no_status_makes_the_parent_fail(text: bytes) -> None:
    assert by_status(text).outcome in (Outcome.EXITED, Outcome.CRASHED, Outcome.OVER_CPU)


@pytest.mark.parametrize(
    "status", ['{"code": 0}', '{"pid": 1}\n{"code": 256}\n', '{"code": null}', "[]", '"x"']
)
def test_an_exit_is_never_an_answer(status: str) -> None:
    assert by_status(status.encode()).outcome is Outcome.EXITED


def test_only_text_is_shown() -> None:
    assert said({"detail": ["x"]}, "detail") == ""
    assert said({}, "detail") == ""
    assert said({"detail": "\x1b[31mé\ud800\n"}, "detail") == "\\x1b[31mé\\ud800\\n"  # no line of its own
