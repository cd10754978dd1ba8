"""Answers by Ollama's own chat API: a JSON object a line, durations in nanoseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from joulemark.simulate.http.answers import Answer
from joulemark.simulate.http.writer import Spent


class OllamaWriter:
    """Writes one answer as JSON lines; see `AnswerWriter`."""

    content_type = "application/x-ndjson"

    def __init__(self, answer: Answer, *, model: str) -> None:
        self._answer, self._model = answer, model

    def opening(self) -> bytes:
        """Return nothing: the first token opens the stream."""
        return b""

    def ping(self) -> bytes:
        """Return nothing: JSON lines have no comments."""
        return b""

    def tokens(self, first: int, after_last: int) -> bytes:
        """Return a line a token; the stop has none."""
        lines = []
        for place in range(first, after_last):
            text = self._answer.texts[place]
            if place < self._answer.thinking:
                lines.append(self._line({"content": "", "thinking": text}))
            elif text:
                lines.append(self._line({"content": text}))
        return b"".join(lines)

    def ending(self, spent: Spent) -> bytes:
        """Return the last line, with the counts."""
        return self._line({"content": ""}, self._facts(spent))

    def failure(self, message: str) -> bytes:
        """Return a line with an error; none follows it."""
        return orjson.dumps({"error": message}) + b"\n"

    def whole(self, spent: Spent) -> bytes:
        """Return the answer as one object."""
        answer = self._answer
        message = {"content": "".join(answer.texts[answer.thinking :])}
        if answer.thinking:
            message["thinking"] = "".join(answer.texts[: answer.thinking])
        return self._line(message, self._facts(spent)).rstrip()

    def whole_failure(self, message: str) -> bytes:
        """Return the error as an object."""
        return self.failure(message).rstrip()

    def _facts(self, spent: Spent) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "done": True,
            "done_reason": "stop" if self._answer.stops else "length",
            "total_duration": spent.prefill_ns + spent.decode_ns,
            "load_duration": 0,
            "prompt_eval_count": spent.prompt_tokens,
            "prompt_eval_duration": spent.prefill_ns,
            "eval_count": spent.completion_tokens,
            "eval_duration": spent.decode_ns,
        }
        return facts

    def _line(self, message: dict[str, str], facts: dict[str, Any] | None = None) -> bytes:
        line = {
            "model": self._model,
            "created_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "message": {"role": "assistant", **message},
            **(facts or {"done": False}),
        }
        return orjson.dumps(line) + b"\n"
