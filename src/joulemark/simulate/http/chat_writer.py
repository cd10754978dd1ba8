"""Answers by OpenAI's chat API, in the style of one engine."""

from __future__ import annotations

from typing import Any

import orjson

from joulemark.simulate.http.answers import Answer
from joulemark.simulate.http.asked import Asked
from joulemark.simulate.http.profile import ErrorShape
from joulemark.simulate.http.refusal import error_body, error_in_stream
from joulemark.simulate.http.style import ChatStyle
from joulemark.simulate.http.writer import Spent

_FIRST_TOKEN_ID = 1000  # of the made-up vocabulary


class ChatWriter:
    """Writes one answer as server-sent events; see `AnswerWriter`.

    ``extra`` are further members of a whole document.
    """

    content_type = "text/event-stream"

    def __init__(
        self,
        style: ChatStyle,
        errors: ErrorShape,
        asked: Asked,
        answer: Answer,
        *,
        answer_id: str,
        model: str,
        created: int,
        prompt_tokens: int,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self._style, self._errors, self._asked, self._answer = style, errors, asked, answer
        self._prompt_tokens = prompt_tokens
        self._id, self._model, self._created, self._extra = answer_id, model, created, extra or {}
        head = {"id": answer_id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._head = style.prefix + orjson.dumps(head).decode()[:-1] + ',"choices":['
        self._counts = asked.include_usage or style.usage_unasked
        self._tail = f",{style.event_tail}" if style.event_tail else ""
        self._choice_tail = f",{style.choice_tail}" if style.choice_tail else ""
        self._role = '"role":"assistant",' if style.role_always else ""
        self._finish = '"stop"' if answer.stops else '"length"'

    # -- a stream -------------------------------------------------------------------------------------------

    def opening(self) -> bytes:
        """Return the comments and the empty event that some begin with."""
        empty = self._event("", None) if self._style.empty_first else b""
        return self._style.hello + empty

    def ping(self) -> bytes:
        """Return the style's comment."""
        return self._style.ping

    def tokens(self, first: int, after_last: int) -> bytes:
        """Return the chunks of a stretch; thinking and answer never share one."""
        style, answer = self._style, self._answer
        out = b""
        if first == 0 and style.role_content is not None:
            out += self._chunk(f'{{"role":"assistant","content":{style.role_content}}}', 0)
        split = answer.thinking if first < answer.thinking < after_last else after_last
        for begin, end in ((first, split), (split, after_last)):
            if begin < end:
                out += self._stretch(begin, end)
        return out

    def ending(self, spent: Spent) -> bytes:
        """Return the finish reason, unless the last token brought it, then counts and the end."""
        style = self._style
        out = b""
        usage = self._usage(spent)
        if not style.finish_with_token:
            beside = f',"usage":{usage}' if self._counts and style.usage_on_finish else None
            out += self._chunk(style.finish_delta, spent.completion_tokens, self._finish, beside)
        if self._counts and not style.usage_on_finish:
            timings = f',"timings":{_json(_timings(spent))}' if style.timings else ""
            out += self._event("", f',"usage":{usage}{timings}')
        return out + self._done()

    def failure(self, message: str) -> bytes:
        """Return an event with an error, then the end."""
        body = _json(error_in_stream(self._errors, 500, message))
        eol = self._style.eol
        return f"{self._style.prefix}{body}{eol}{eol}".encode() + self._done()

    # -- a document -----------------------------------------------------------------------------------------

    def whole(self, spent: Spent) -> bytes:
        """Return a ``chat.completion``."""
        answer, style = self._answer, self._style
        message: dict[str, Any] = {"role": "assistant", "content": self._content()}
        if answer.thinking and style.thinking == "fields":
            thought = "".join(answer.texts[: answer.thinking])
            message.update(dict.fromkeys(style.thought_fields, thought))
        choice = {"index": 0, "message": message, "finish_reason": "stop" if answer.stops else "length"}
        document: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion",
            "created": self._created,
            "model": self._model,
            "choices": [choice],
            "usage": self._usage_object(spent),
        }
        if style.timings:
            document["timings"] = _timings(spent)
        return orjson.dumps({**document, **self._extra})

    def whole_failure(self, message: str) -> bytes:
        """Return the engine's error document."""
        return orjson.dumps(error_body(self._errors, 500, message))

    def _content(self) -> str:
        answer = self._answer
        begin = 0 if self._style.thinking == "tags" else answer.thinking
        return "".join(answer.texts[begin:])

    # -- pieces ---------------------------------------------------------------------------------------------

    def _stretch(self, begin: int, end: int) -> bytes:
        style, answer = self._style, self._answer
        text = _json("".join(answer.texts[begin:end]))
        last = end == answer.tokens
        finish = self._finish if last and style.finish_with_token else None
        if begin < answer.thinking and style.thinking == "hidden":
            return b""
        if begin < answer.thinking and style.thinking == "fields":
            delta = ",".join(f'"{name}":{text}' for name in style.thought_fields)
            if self._role:
                delta = f'"content":"",{delta}'
        elif text == '""' and finish is None:
            return b""  # the stop: counted, never seen
        else:
            delta = f'"content":{text}'
        if finish is None and style.blank_finish and begin == 0:
            finish = '""'
        ids = ""
        if self._asked.token_ids:
            ids = f',"token_ids":{list(range(_FIRST_TOKEN_ID + begin, _FIRST_TOKEN_ID + end))}'
        return self._chunk(f"{{{self._role}{delta}}}", end, finish, ids=ids)

    def _chunk(
        self,
        delta: str,
        made: int,
        finish: str | None = None,
        beside: str | None = None,
        *,
        ids: str = "",
    ) -> bytes:
        choice = f'{{"index":0,"delta":{delta}{self._choice_tail},"finish_reason":{finish or "null"}{ids}}}'
        if beside is None and self._asked.running_usage:
            total = self._prompt_tokens + made
            beside = (
                f',"usage":{{"prompt_tokens":{self._prompt_tokens},"completion_tokens":{made},'
                f'"total_tokens":{total}}}'
            )
        if self._style.timings and self._asked.running_timings and made:
            beside = f'{beside or ""},"timings":{{"predicted_n":{made}}}'
        return self._event(choice, beside)

    def _event(self, choice: str, beside: str | None) -> bytes:
        if beside is None:
            beside = ',"usage":null' if self._style.null_usage and self._counts else ""
        eol = self._style.eol
        return f"{self._head}{choice}]{self._tail}{beside}}}{eol}{eol}".encode()

    def _done(self) -> bytes:
        eol = self._style.eol
        return f"{self._style.prefix}[DONE]{eol}{eol}".encode() if self._style.done else b""

    def _usage(self, spent: Spent) -> str:
        return _json(self._usage_object(spent))

    def _usage_object(self, spent: Spent) -> dict[str, Any]:
        usage: dict[str, Any] = {
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "total_tokens": spent.prompt_tokens + spent.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": spent.cached_tokens},
        }
        if self._style.thinking != "tags" and self._answer.thinking:
            usage["completion_tokens_details"] = {"reasoning_tokens": self._answer.thinking}
        return usage


def _timings(spent: Spent) -> dict[str, float]:
    """Return llama.cpp's own times; ``prompt_n`` leaves out what its cache had."""
    fresh, made = spent.prompt_tokens - spent.cached_tokens, spent.completion_tokens
    prompt_ms, made_ms = max(spent.prefill_ns, 1) / 1e6, max(spent.decode_ns, 1) / 1e6
    return {
        "cache_n": spent.cached_tokens,
        "prompt_n": fresh,
        "prompt_ms": prompt_ms,
        "prompt_per_token_ms": prompt_ms / fresh,
        "prompt_per_second": 1e3 * fresh / prompt_ms,
        "predicted_n": made,
        "predicted_ms": made_ms,
        "predicted_per_token_ms": made_ms / made,
        "predicted_per_second": 1e3 * made / made_ms,
    }


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
