"""A simulated power analyzer of Yokogawa's WT family: SCPI over a raw TCP socket, one controller at a time.

It takes its truth from virtual time, so an hour of integration passes in milliseconds. Commands and answers
follow IM WT310E-17EN: long and short mnemonics, several queries in a message, answers of six digits that grow
coarser with the integral, NAN and INF instead of numbers.
"""

from __future__ import annotations

import contextlib
import math
import re
import socket
import struct
import threading
from dataclasses import dataclass, field
from types import TracebackType

from doubles.faults import Fault, NowS, Truth

SLIP_J = 500.0
IDENTITY = "YOKOGAWA,WT310E,C3TESTER01,F1.03"
_RESET = struct.pack("ii", 1, 0)


@dataclass
class Panel:
    """What the user of the instrument has set, and what a test wants it to show."""

    identity: str = IDENTITY
    rate: str = "250MS"
    volts: float = 300.0
    amperes: float = 5.0
    auto: bool = False
    crest: str = "3"
    wiring: str = "P1W2"
    scaling: bool = False
    mode: str = "NORM"
    timer: str = "0,0,0"
    header: bool = False
    verbose: bool = True
    state: str = "RESET"
    power_w: float | None = None  # instead of the truth's
    current_a: float = 0.6
    voltage_v: float = 230.0
    condition: int = 0
    silent: bool = False  # takes a query and never answers
    held_wh: float = 0.0
    output: list[str] = field(default_factory=lambda: ["U,1", "I,1", "P,1", "LAMBDA,1", "FU,1", "NONE"])
    count: int = 3


class Instrument:
    """Serves until the context is left. ``commands`` keeps what was sent to it, in order."""

    def __init__(
        self,
        now_s: NowS,
        truth: Truth | None = None,
        fault: Fault = Fault.HEALTHY,
        panel: Panel | None = None,
    ) -> None:
        self.truth, self.fault, self.panel = truth or Truth(), fault, panel or Panel()
        self.commands: list[str] = []
        self.refused = 0
        self.form = "ASC"
        self._now_s = now_s
        self._held_j = self.panel.held_wh * 3600
        self._held_s = 0.0
        self._since_s = 0.0
        self._server = socket.create_server(("127.0.0.1", 0))
        self._busy: socket.socket | None = None
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def resource(self) -> str:
        return f"TCPIP::127.0.0.1::{self._server.getsockname()[1]}::SOCKET"

    @property
    def connected(self) -> bool:
        return self._busy is not None

    def __enter__(self) -> Instrument:
        self._threads[0].start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._busy is not None:
            with contextlib.suppress(OSError):
                self._busy.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    # the line

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            if self._gone() or self._busy is not None:
                self.refused += 1
                _slam(line)
                continue
            self._busy = line
            self._threads.append(threading.Thread(target=self._serve, args=(line,), daemon=True))
            self._threads[-1].start()

    def _serve(self, line: socket.socket) -> None:
        pending = b""
        with line:
            while True:
                try:
                    data = line.recv(4096)
                except OSError:
                    data = b""
                if not data:
                    break
                pending += data
                while b"\n" in pending:
                    message, _, pending = pending.partition(b"\n")
                    if self._gone():
                        self._busy = None
                        _slam(line)
                        return
                    answer = self.answer(message.decode())
                    if answer and not self.panel.silent:
                        line.sendall(answer.encode() + b"\n")
            self._busy = None

    def _gone(self) -> bool:
        t_s, middle_s = self._now_s(), self.truth.middle_s
        if self.fault is Fault.SHORT_GAP:
            return middle_s <= t_s < middle_s + self.truth.gap_s
        return self.fault is Fault.LOST and t_s >= middle_s

    # the language

    def answer(self, message: str) -> str:
        """Carry out the units of a message and return the answer to its queries, joined."""
        self.commands.append(message)
        answers = [self._unit(unit.strip()) for unit in message.split(";") if unit.strip()]
        return ";".join(answer for answer in answers if answer is not None)

    def _unit(self, unit: str) -> str | None:
        header, _, argument = unit.partition(" ")
        if header == "*IDN?":
            return self.panel.identity
        for pattern, act in _COMMANDS:
            match = re.fullmatch(pattern, header, re.IGNORECASE)
            if match:
                answer = getattr(self, act)(argument, *match.groups())
                wants_header = self.panel.header and answer is not None and act != "_value"
                return f"{header.rstrip('?').upper()} {answer}" if wants_header else answer
        return None  # an unknown query is not answered; the error goes into the instrument's queue

    def _value(self, _: str) -> str:
        return ",".join(self._item(item) for item in self.panel.output[: self.panel.count])

    def _item(self, item: str) -> str:
        panel, t_s = self.panel, self._now_s()
        name = item.split(",")[0].upper()
        if name == "P":
            return _nr3(self._seen_power_w(), 5)
        if name == "U":
            return _nr3(panel.voltage_v, 5)
        if name == "I":
            return _nr3(panel.current_a, 5)
        if name == "TIME":
            return "NAN" if panel.state == "RESET" else str(int(self._elapsed_s(t_s)))
        if name == "WH":
            return "NAN" if panel.state == "RESET" else _nr3(self._integral_j(t_s) / 3600, 6)
        return "NAN"

    def _seen_power_w(self) -> float:
        return self.truth.power_w if self.panel.power_w is None else self.panel.power_w

    def _shown_s(self, t_s: float) -> float:
        """The instant whose values are shown: that of the last update, or of the middle for ever."""
        rate_s = 0.25
        shown_s = math.floor(t_s / rate_s) * rate_s
        return min(shown_s, self.truth.middle_s) if self.fault in (Fault.STALE, Fault.FREEZE) else shown_s

    def _elapsed_s(self, t_s: float) -> float:
        if self.panel.state != "START":
            return self._held_s
        if self.fault is Fault.RESET and t_s >= self.truth.middle_s > self._since_s:
            return t_s - self.truth.middle_s
        seen_s = t_s if self.fault is Fault.FREEZE else self._shown_s(t_s)
        return self._held_s + max(0.0, seen_s - self._since_s)

    def _integral_j(self, t_s: float) -> float:
        joules = self._held_j
        if self.panel.state == "START":
            power_w, middle_s = self._seen_power_w(), self.truth.middle_s
            shown_s = self._shown_s(t_s)
            joules += power_w * max(0.0, shown_s - self._since_s)
            if t_s >= middle_s > self._since_s:
                if self.fault is Fault.RESET:
                    joules = power_w * max(0.0, shown_s - middle_s)
                if self.fault is Fault.BACKWARDS:
                    joules -= SLIP_J
        return joules * (1000 if self.fault is Fault.WRONG_UNIT else 1)

    def _start(self, _: str) -> None:
        if self.fault is not Fault.NOT_SUPPORTED and self.panel.state in ("RESET", "STOP"):
            self.panel.state, self._since_s = "START", self._now_s()

    def _stop(self, _: str) -> None:
        if self.panel.state == "START":
            t_s = self._now_s()
            self._held_j, self._held_s = self._integral_j(t_s), self._elapsed_s(t_s)
            self.panel.state = "STOP"

    def _reset(self, _: str) -> None:
        if self.panel.state != "START":
            self.panel.state, self._held_j, self._held_s = "RESET", 0.0, 0.0

    def _state(self, _: str) -> str:
        return self.panel.state if self.panel.verbose else self.panel.state[:4].removesuffix("E")

    def _set_item(self, argument: str, place: str) -> None:
        self.panel.output[int(place) - 1] = argument

    def _get_item(self, _: str, place: str) -> str:
        return self.panel.output[int(place) - 1]

    def _set_count(self, argument: str) -> None:
        self.panel.count = int(argument)

    def _get_count(self, _: str) -> str:
        return str(self.panel.count)

    def _set_form(self, argument: str) -> None:
        self.form = argument

    def _get_form(self, _: str) -> str:
        return self.form

    def _rate(self, _: str) -> str:
        return self.panel.rate

    def _mode(self, _: str) -> str:
        return self.panel.mode

    def _timer(self, _: str) -> str:
        return self.panel.timer

    def _volts(self, _: str) -> str:
        return _nr3(self.panel.volts, 4)

    def _amperes(self, _: str) -> str:
        return _nr3(self.panel.amperes, 4)

    def _auto(self, _: str) -> str:
        return str(int(self.panel.auto))

    def _crest(self, _: str) -> str:
        return self.panel.crest

    def _wiring(self, _: str) -> str:
        return self.panel.wiring

    def _scaling(self, _: str) -> str:
        return str(int(self.panel.scaling))

    def _condition(self, _: str) -> str:
        return str(self.panel.condition)


def _nr3(value: float, digits: int) -> str:
    """Write a number as the instrument does: so many digits, cut off, or INF and NAN."""
    if math.isinf(value) or math.isnan(value):
        return "INF" if math.isinf(value) else "NAN"
    if value == 0:
        return "0.00000E+00"
    exponent = math.floor(math.log10(abs(value)) + 1e-12)
    scale = 10.0 ** (digits - 1 - exponent)
    cut = math.trunc(value * scale * (1 + 1e-12)) / 10 ** (digits - 1)
    return f"{cut:.{digits - 1}f}E{exponent:+03d}"


def _slam(line: socket.socket) -> None:
    """Close so that the other side has an error at once, as of an instrument whose plug was pulled."""
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    line.close()


def _mnemonics(header: str) -> str:
    """Turn ``:NUMeric:NORMal:NUMber?`` into a pattern of its long and its short form."""
    parts = []
    for word in re.findall(r":([A-Za-z]+(?:<x>)?)", header):
        name, place = (word.removesuffix("<x>"), r"(\d+)") if word.endswith("<x>") else (word, "")
        short = "".join(letter for letter in name if letter.isupper())
        parts.append(f":(?:{short}|{name.upper()}){place}")
    return "".join(parts) + (r"\?" if header.endswith("?") else "")


_COMMANDS = [
    (_mnemonics(header), act)
    for header, act in {
        ":NUMeric:NORMal:VALue?": "_value",
        ":NUMeric:NORMal:NUMber?": "_get_count",
        ":NUMeric:NORMal:NUMber": "_set_count",
        ":NUMeric:NORMal:ITEM<x>?": "_get_item",
        ":NUMeric:NORMal:ITEM<x>": "_set_item",
        ":NUMeric:FORMat?": "_get_form",
        ":NUMeric:FORMat": "_set_form",
        ":INTEGrate:STATe?": "_state",
        ":INTEGrate:MODE?": "_mode",
        ":INTEGrate:TIMer?": "_timer",
        ":INTEGrate:STARt": "_start",
        ":INTEGrate:STOP": "_stop",
        ":INTEGrate:RESet": "_reset",
        ":RATE?": "_rate",
        ":STATus:CONDition?": "_condition",
        ":INPut:VOLTage:RANGe?": "_volts",
        ":INPut:CURRent:RANGe?": "_amperes",
        ":INPut:VOLTage:AUTO?": "_auto",
        ":INPut:CURRent:AUTO?": "_auto",
        ":INPut:CFACtor?": "_crest",
        ":INPut:WIRing?": "_wiring",
        ":INPut:SCALing:STATe?": "_scaling",
    }.items()
]
