"""What a stream has said so far. The dialects write into it, `settle` makes the reply of it."""

from __future__ import annotations

from typing import Any

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.fault import Fault
from joulemark.engines.streams.finish import BROKEN, finish_reason
from joulemark.engines.streams.tally import CountSource, Tally
from joulemark.engines.streams.tools import ToolParts
from joulemark.engines.streams.usage import Usage, measure, openai_usage


class ChoiceDraft:
    """One choice: the pieces of its text with the events that brought them."""

    __slots__ = ("finish", "reasoning", "refusal", "text_events", "texts", "tools")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.text_events: list[int] = []
        self.reasoning: list[str] = []
        self.refusal: list[str] = []
        self.tools: ToolParts | None = None
        self.finish: str | None = None


class Draft:
    """The reply under construction. ``event`` is the index of the event being read.

    ``outputs`` are the indices of events with output, in order; ``hollow`` those of events without a choice.
    """

    def __init__(self) -> None:
        self.event = -1
        self.choices: dict[int, ChoiceDraft] = {}
        self.outputs: list[int] = []
        self.tool_events = 0
        self.first_deed: int | None = None
        self.hollow: set[int] = set()
        self.tally = Tally()
        self.usage: Usage | None = None
        self.native: tuple[str, Usage] | None = None
        self.stats_count: int | None = None
        self.empty_text_counts = False
        self.timings: dict[str, float] | None = None
        self.server_ns: dict[str, int] | None = None
        self.server_s: dict[str, float] | None = None
        self.cost: float | None = None
        self.media_units: int | None = None
        self.fault: Fault | None = None
        self.closed = False
        self.suspect: dict[str, None] = {}

    def choice(self, index: Any) -> ChoiceDraft:
        """Return the choice with ``index``; anything that is no index means the first."""
        key = index if type(index) is int else 0
        found = self.choices.get(key)
        if found is None:
            found = self.choices[key] = ChoiceDraft()
        return found

    def produced(self) -> None:
        """Note that the current event carries output."""
        if not self.outputs or self.outputs[-1] != self.event:
            self.outputs.append(self.event)

    def add_text(self, choice: ChoiceDraft, piece: Any) -> None:
        """Add answer text; anything but a non-empty string is nothing."""
        if piece and isinstance(piece, str):
            choice.texts.append(piece)
            choice.text_events.append(self.event)
            outputs = self.outputs
            if not outputs or outputs[-1] != self.event:
                outputs.append(self.event)

    def add_reasoning(self, choice: ChoiceDraft, piece: Any) -> None:
        """Add thinking."""
        if piece and isinstance(piece, str):
            choice.reasoning.append(piece)
            self.produced()

    def add_refusal(self, choice: ChoiceDraft, piece: Any) -> None:
        """Add words of a structured refusal."""
        if piece and isinstance(piece, str):
            choice.refusal.append(piece)
            self._did()

    def add_tool(self, choice: ChoiceDraft, index: Any, call_id: Any, name: Any, arguments: Any) -> None:
        """Add a part of a tool call."""
        if choice.tools is None:
            choice.tools = ToolParts()
        choice.tools.add(index, call_id, name, arguments)
        self.tool_events += 1
        self._did()

    def _did(self) -> None:
        if self.first_deed is None:
            self.first_deed = self.event
        self.produced()

    def end(self, choice: ChoiceDraft, reason: Any) -> None:
        """Note why a choice ended, if ``reason`` says that it did."""
        word = finish_reason(reason)
        if word is not None:
            choice.finish = word
            if word in BROKEN:
                self.fail(Fault(f"the engine ended the generation: {word}"))

    def fail(self, fault: Fault) -> None:
        """Note an error; the first one says why."""
        if self.fault is None:
            self.fault = fault

    def complain(self, what: str) -> None:
        """Flag the reply as suspect."""
        self.suspect[what] = None

    def report_usage(self, usage: Json) -> None:
        """Take a usage object in OpenAI's form: cumulative, so the last one wins."""
        read = openai_usage(usage, self.complain)
        if read.known:
            self.usage = read
        if read.completion is not None:
            self.tally.state(CountSource.RUNNING_USAGE, self.event, read.completion)
        cost = measure(usage.get("cost"))
        if cost is not None:
            self.cost = float(cost)
        seconds = {name: measure(usage.get(key)) for name, key in _SECONDS}
        known = {name: float(value) for name, value in seconds.items() if value is not None}
        if known:
            self.server_s = known


# Groq states the server's own times beside the counts.
_SECONDS = (("queue", "queue_time"), ("prefill", "prompt_time"), ("decode", "completion_time"))
