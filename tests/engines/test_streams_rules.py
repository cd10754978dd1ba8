"""The rules of the corpus on bodies that are not in it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from doubles.sse_bodies import (
    DONE,
    ROLE,
    chunk,
    ndjson,
    read,
    read_every_way,
    sse,
    usage,
    usage_chunk,
    words,
)
from joulemark.engines.streams import parse

NO_COUNT = "none: count with tokenizer, mark as estimate"


def test_thinking_under_its_other_name() -> None:
    thoughts = words("Half", " of 84.", key="reasoning_content")
    body = sse(chunk(ROLE), *thoughts, *words("42"), chunk({}, "stop"), DONE)
    reply = read_every_way(body)
    assert (reply["reasoning"], reply["text"]) == ("Half of 84.", "42")
    assert (reply["first_token_event"], reply["first_output_event"]) == (1, 3)


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ({"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, "bad", 400),
        ({"error": "a bare string"}, "a bare string", None),
        ({"error": "typed", "error_type": "generation"}, "typed", None),
        ({"error": {"message": "busy", "code": "overloaded"}}, "busy", "overloaded"),
        ({"error": {"message": "no code", "type": "server_error"}}, "no code", None),
        ({"error": {"message": "outer code"}, "code": 503}, "outer code", 503),
        ({"detail": "Not Found"}, "Not Found", None),
        ({"detail": [{"loc": ["body", "n"], "msg": "too big", "type": "value"}]}, "body.n: too big", None),
        ({"message": "no room", "code": 507}, "no room", 507),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "Overloaded",
            None,
        ),
        ({"type": "error", "code": "server_error", "message": "gone", "param": None}, "gone", "server_error"),
        ({"type": "error", "message": "typed only"}, "typed only", None),
        ({"errors": [{"message": "first", "code": 9}]}, "first", 9),
        ({"error": True, "message": "flagged"}, "flagged", None),
        ({"choices": [], "error": {"message": "beside", "code": 1}}, "beside", 1),
        ({"choices": [], "x_groq": {"error": "over capacity"}}, "over capacity", None),
        (
            {
                "choices": [
                    {
                        "delta": {"content": ""},
                        "finish_reason": "error",
                        "error": {"message": "in", "code": 2},
                    }
                ]
            },
            "in",
            2,
        ),
    ],
)
def test_an_error_in_any_shape_fails_the_reply(error: Any, message: str, code: Any) -> None:
    for ending in (DONE, chunk({}, "stop")):
        reply = read_every_way(sse(chunk(ROLE), *words("The"), error, ending))
        assert (reply["ok"], reply["text"]) == (False, "The")
        assert reply["error"] == {"message": message, "code": code}


@pytest.mark.parametrize(
    ("raw", "message", "code"),
    [
        (b'event: error\ndata: {"message":"m","code":5}\n\n', "m", 5),
        (b'event: error\ndata: {"error":{"message":"m"}}\n\n', "m", None),
        (b"event: error\ndata: out of memory\n\n", "out of memory", None),
        (b'error: {"code":500,"message":"m","type":"server_error"}\n\n', "m", 500),
        (b"error: plain words\n\n", "plain words", None),
        (b'{"error":{"message":"no data field","code":3}}\n\n', "no data field", 3),
        (b'{"error":"same block"}\ndata: {"choices":[]}\n\n', "same block", None),
    ],
)
def test_an_error_outside_the_data_of_a_message(raw: bytes, message: str, code: Any) -> None:
    reply = read_every_way(sse(chunk(ROLE), *words("The"), raw, DONE))
    assert (reply["ok"], reply["error"]) == (False, {"message": message, "code": code})
    assert reply["text"] == "The"


def test_a_null_error_is_none() -> None:
    reply = read_every_way(sse(chunk(ROLE, error=None), chunk({"content": "x"}, "stop", error=None), DONE))
    assert (reply["ok"], reply["error"]) == (True, None)


def test_a_stream_that_breaks_off_is_cut() -> None:
    body = sse(chunk(ROLE), *words("The", " answer"))
    for tail in (b"", b'data: {"id":"c1","choi', b"data: ", b": comment", b"da"):
        reply = read_every_way(body + tail)
        assert reply["error"] == {"message": "stream cut", "code": None}, tail
        assert (reply["text"], reply["done_marker"]) == ("The answer", False)
        assert reply["token_source"] == NO_COUNT


def test_the_piece_of_an_event_is_a_cut_even_after_the_finish_reason() -> None:
    body = sse(chunk(ROLE), *words("The"), chunk({}, "stop"))
    assert read_every_way(body + b'data: {"choices":[],"us')["error"]["message"] == "stream cut"
    # A piece of the marker is no piece of the answer.
    for tail in (b"data: [DO", b"data: [DONE]", b"data: [DONE]\n", b"dat"):
        assert read_every_way(body + tail)["ok"], tail


def test_every_cut_of_a_complete_stream_is_cut_or_complete() -> None:
    end = sse(chunk({}, "stop"))
    body = sse(chunk(ROLE), *words("The", " end")) + end + sse(DONE)
    finished = len(body) - len(sse(DONE)) - 2
    for at in range(1, len(body)):
        reply = read(body[:at], "text/event-stream")
        assert reply.ok == (at >= finished), body[:at][-30:]
        assert reply.ok or reply.error is not None


def test_one_unfinished_choice_of_two_is_a_cut() -> None:
    def choice(index: int, text: str, finish: str | None) -> dict[str, Any]:
        return {"choices": [{"index": index, "delta": {"content": text}, "finish_reason": finish}]}

    reply = read_every_way(sse(choice(0, "Yes", None), choice(1, "No", None), choice(0, ".", "stop")))
    assert reply["error"] == {"message": "stream cut", "code": None}
    assert reply["choices"] == ["Yes.", "No"]


def test_progress_is_no_token() -> None:
    progress = {"total": 900, "cache": 0, "processed": 256, "time_ms": 12}
    body = sse(
        chunk({"role": "assistant", "content": None}, prompt_progress=progress),
        {"choices": [], "prompt_progress": progress | {"processed": 900}},
        *words("The", " end"),
        chunk({}, "stop", timings={"cache_n": 100, "prompt_n": 800, "predicted_n": 3, "predicted_ms": 9.5}),
        DONE,
    )
    reply = read_every_way(body)
    assert (reply["first_token_event"], reply["first_output_event"]) == (2, 2)
    counts = {"prompt": 900, "completion": 3, "cached": 100, "reasoning": None, "total": 903}
    assert (reply["usage"], reply["token_source"]) == (counts, "timings.predicted_n")
    assert reply["timings"]["predicted_ms"] == 9.5


def test_timings_on_every_chunk_count_its_tokens() -> None:
    events = [
        chunk({"content": text}, timings={"prompt_n": 4, "predicted_n": n})
        for n, text in ((1, "a"), (4, "b"), (5, "c"))
    ]
    reply = read_every_way(sse(chunk(ROLE), *events, chunk({}, "stop"), DONE))
    assert reply["tokens_per_event"] == [0, 1, 3, 1, 0]
    assert reply["token_source"] == "timings.predicted_n"


def test_comments_between_events_with_the_usage_beside_a_choice() -> None:
    comment = b": OPENROUTER PROCESSING\n\n"
    last = chunk({"content": ""}, "stop", usage=usage(11, 5, 16, cost=0.00021))
    body = comment + sse(comment, chunk(ROLE), b":\n", *words("a", "b"), comment, last, DONE) + comment
    reply = read_every_way(body)
    assert (reply["first_token_event"], reply["ok"], reply["text"]) == (1, True, "ab")
    assert (reply["token_source"], reply["cost"], reply["usage"]["completion"]) == ("usage", 0.00021, 5)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(end: str) -> None:
    body = sse(
        b"event: message\nid: 7\n", chunk(ROLE), *words("a", "b\r\nc"), chunk({}, "stop"), DONE, end=end
    )
    reply = read_every_way(body)
    assert (reply["text"], reply["done_marker"]) == ("ab\r\nc", True)
    assert reply["first_token_event"] == 1


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_line_separators_of_other_standards_do_not_cut_a_line(sign: str) -> None:
    raw = ('data: {"choices":[{"delta":{"content":"a' + sign + 'b"},"finish_reason":"stop"}]}\n\n').encode()
    assert read_every_way(raw + sse(DONE))["text"] == f"a{sign}b"


def test_a_cached_prompt_without_a_count_is_unknown() -> None:
    last = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "length"}
    last |= {"eval_count": 6, "load_duration": 5, "eval_duration": 7}
    body = ndjson({"message": {"role": "assistant", "content": "hi"}, "done": False}, last)
    for content_type in ("application/x-ndjson", None, "application/json"):
        reply = read_every_way(body, content_type)
        counts = {"prompt": None, "completion": 6, "cached": None, "reasoning": None, "total": None}
        assert (reply["usage"], reply["token_source"]) == (counts, "eval_count")
        assert (reply["finish_reason"], reply["server_ns"]) == ("length", {"load": 5, "decode": 7})


def test_generate_of_ollama_and_its_tool_calls() -> None:
    body = ndjson({"response": "a", "done": False}, {"response": "b", "done": True, "context": [1, 2]})
    assert read_every_way(body)["text"] == "ab"
    call = {"function": {"name": "f", "arguments": {"x": 1}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call, call]}
    reply = read_every_way(ndjson({"message": message, "done": False}, {"message": {}, "done": True}))
    assert reply["tool_calls"] == [{"id": None, "name": "f", "arguments": '{"x":1}'}] * 2
    assert reply["first_token_event"] == 0


def test_fewer_tokens_than_chunks_are_flagged_not_repaired() -> None:
    body = sse(chunk(ROLE), *words(*"abcde"), chunk({}, "length"), usage_chunk(11, 4, 15), DONE)
    reply = read_every_way(body)
    assert reply["usage"]["completion"] == 4
    assert reply["suspect"]


@pytest.mark.parametrize("stated", [5, 7])
def test_a_total_that_differs_by_one_is_flagged_not_repaired(stated: int) -> None:
    body = sse(chunk(ROLE), *words("a"), chunk({}, "stop"), usage_chunk(4, 2, stated), DONE)
    reply = read_every_way(body)
    assert reply["usage"] == {
        "prompt": 4,
        "completion": 2,
        "cached": None,
        "reasoning": None,
        "total": stated,
    }
    assert "visible_completion" not in reply
    assert any("by one" in why for why in reply["suspect"])


def test_statistics_beside_the_usage_that_disagree_are_flagged() -> None:
    last = usage_chunk(4, 2, 6) | {"stats": {"predicted_tokens_count": 3}}
    reply = read_every_way(sse(chunk(ROLE), *words("a"), chunk({}, "length"), last, DONE))
    assert reply["usage"]["completion"] == 2
    assert any("by one" in why for why in reply["suspect"])


def test_counts_of_log_probabilities_that_disagree_with_the_usage_are_flagged() -> None:
    events = words("a", "b")
    for event in events:
        event["choices"][0]["logprobs"] = {"content": [{"token": "x", "logprob": -math.inf}]}
    reply = read_every_way(sse(*events, chunk({}, "stop"), usage_chunk(4, 3, 7), DONE))
    assert (reply["tokens_per_event"], reply["usage"]["completion"]) == ([1, 1, 0, 0], 3)
    assert reply["token_source"] == "usage"
    assert any("by one" in why for why in reply["suspect"])


def test_more_thinking_than_tokens_is_suspect() -> None:
    details = {"reasoning_tokens": 9}
    body = sse(*words("a"), chunk({}, "stop"), usage_chunk(4, 2, 6, completion_tokens_details=details), DONE)
    reply = read_every_way(body)
    assert (reply["usage"]["reasoning"], reply["usage"]["completion"]) == (9, 2)
    assert any("reasoning" in why for why in reply["suspect"])


@pytest.mark.parametrize("vendor", ["x_groq", "x_other"])
def test_usage_under_a_key_of_the_vendor(vendor: str) -> None:
    counts = usage(11, 5, 16, queue_time=0.25, prompt_time=0.5, completion_time=0.125, total_time=0.625)
    events = [chunk(ROLE, **{vendor: {"id": "r"}}), *words("a", "b")]
    reply = read_every_way(sse(*events, chunk({}, "stop", **{vendor: {"id": "r", "usage": counts}}), DONE))
    assert (reply["usage"]["completion"], reply["token_source"]) == (5, "usage")
    assert reply["server_s"] == {"queue": 0.25, "prefill": 0.5, "decode": 0.125}


def test_usage_inside_a_choice() -> None:
    last = chunk({}, "stop")
    last["choices"][0]["usage"] = usage(11, 5, 16)
    assert read_every_way(sse(*words("a"), last, DONE))["usage"]["total"] == 16


def _responses(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {event['type']}\n".encode() + sse(event) for event in events)


RESPONSE = {
    "id": "r1",
    "object": "response",
    "status": "in_progress",
    "output": [],
    "usage": None,
    "error": None,
}
COUNTS = {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 9}
COUNTS |= {"output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 20}
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "42."}]}


@pytest.mark.parametrize("thinking", ["response.reasoning_summary_text", "response.reasoning_text"])
def test_typed_events_of_responses(thinking: str) -> None:
    body = _responses(
        {"type": "response.created", "response": RESPONSE},
        {"type": "response.in_progress", "response": RESPONSE},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {"type": "reasoning", "summary": []},
        },
        {"type": f"{thinking}.delta", "output_index": 0, "delta": "Half of 84."},
        {"type": f"{thinking}.done", "output_index": 0, "text": "Half of 84."},
        {"type": "response.output_item.added", "output_index": 1, "item": MESSAGE | {"content": []}},
        {"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "42"},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "."},
        {"type": "response.output_text.done", "output_index": 1, "text": "42."},
        {"type": "response.content_part.done", "part": {"type": "output_text", "text": "42."}},
        {"type": "response.output_item.done", "output_index": 1, "item": MESSAGE},
        {
            "type": "response.completed",
            "response": RESPONSE | {"status": "completed", "output": [MESSAGE], "usage": COUNTS},
        },
    )
    reply = read_every_way(body)
    assert (reply["text"], reply["reasoning"]) == ("42.", "Half of 84.")
    assert (reply["ok"], reply["finish_reason"], reply["done_marker"]) == (True, "stop", False)
    assert reply["usage"] == {"prompt": 11, "completion": 9, "cached": 8, "reasoning": 4, "total": 20}
    assert (reply["first_token_event"], reply["first_output_event"]) == (3, 7)
    assert (reply["token_source"], reply["tokens_per_event"]) == ("usage", None)


def test_responses_that_end_otherwise() -> None:
    delta = {"type": "response.output_text.delta", "delta": "4"}
    incomplete = RESPONSE | {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    reply = read_every_way(_responses(delta, {"type": "response.incomplete", "response": incomplete}))
    assert (reply["ok"], reply["finish_reason"], reply["text"]) == (True, "length", "4")
    failed = RESPONSE | {"status": "failed", "error": {"code": "server_error", "message": "gone"}}
    reply = read_every_way(_responses(delta, {"type": "response.failed", "response": failed}))
    assert reply["error"] == {"message": "gone", "code": "server_error"}
    assert read_every_way(_responses(delta))["error"]["message"] == "stream cut"


def test_a_tool_call_and_a_refusal_of_responses() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": ""}
    arguments = "response.function_call_arguments"
    body = _responses(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": f"{arguments}.delta", "output_index": 0, "delta": '{"a":'},
        {"type": f"{arguments}.delta", "output_index": 0, "delta": "1}"},
        {"type": f"{arguments}.done", "output_index": 0, "arguments": '{"a":1}'},
        {"type": "response.output_item.done", "output_index": 0, "item": item | {"arguments": '{"a":1}'}},
        {"type": "response.completed", "response": RESPONSE | {"usage": COUNTS}},
    )
    reply = read_every_way(body)
    assert reply["tool_calls"] == [{"id": "call_1", "name": "f", "arguments": '{"a":1}'}]
    assert (reply["finish_reason"], reply["first_output_event"]) == ("tool_calls", 0)
    refusal = {"type": "response.refusal.delta", "delta": "No."}
    done = {"type": "response.completed", "response": RESPONSE}
    assert read_every_way(_responses(refusal, done))["refusal"] == "No."


def test_the_marker_inside_a_text_is_no_end() -> None:
    body = sse(
        chunk(ROLE), *words("say [DONE]", "[DONE]", "\ndata: [DONE]\n\n", " ok"), chunk({}, "stop"), DONE
    )
    reply = read_every_way(body)
    assert reply["text"] == "say [DONE][DONE]\ndata: [DONE]\n\n ok"
    assert reply["done_marker"]
    unmarked = read_every_way(sse(*words("[DONE]"), chunk({}, "stop")))
    assert (unmarked["ok"], unmarked["done_marker"]) == (True, False)


def test_the_marker_in_an_event_of_several_data_lines_is_no_end() -> None:
    reply = read_every_way(
        sse(*words("a"), b"data: [DONE]\ndata: x\n\n", *words("b"), chunk({}, "stop"), DONE)
    )
    assert reply["text"] == "ab"


def test_an_anthropic_message_with_a_tool_and_an_error() -> None:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}
    tool = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    body = sse(
        start,
        {"type": "content_block_start", "index": 0, "content_block": tool},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"a"'},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": ":1}"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    )
    reply = read_every_way(body)
    assert reply["tool_calls"] == [{"id": "toolu_1", "name": "f", "arguments": '{"a":1}'}]
    assert (reply["finish_reason"], reply["usage"]["total"]) == ("tool_calls", 23)
    broken = sse(start, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert read_every_way(broken)["error"]["message"] == "Overloaded"
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    # The last event ends the message, whether or not a reason for it was sent.
    reply = read_every_way(sse(start, delta, {"type": "message_stop"}, delta, DONE))
    assert (reply["ok"], reply["text"], reply["done_marker"]) == (True, "a", True)
    assert read_every_way(sse(start, delta))["error"]["message"] == "stream cut"
    cache = {"input_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 5}
    start["message"] = {"usage": cache}
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}
    counts = read_every_way(sse(start, delta, stop))["usage"]
    assert (counts["prompt"], counts["cached"], counts["total"]) == (16, 8, 18)


def test_documents_of_every_api_that_were_not_streamed() -> None:
    documents: list[Any] = [
        {"choices": [{"message": {"content": "42"}, "finish_reason": "stop"}]},
        {"object": "text_completion", "choices": [{"text": "42", "finish_reason": "stop"}]},
        {"model": "m", "message": {"role": "assistant", "content": "42"}, "done": True, "eval_count": 1},
        {"model": "m", "response": "42", "done": True},
        {"generated_text": "42", "details": {"finish_reason": "eos_token", "generated_tokens": 2}},
        [{"generated_text": "42"}],
        {"type": "message", "content": [{"type": "text", "text": "42"}], "stop_reason": "end_turn"},
        RESPONSE
        | {"status": "completed", "output": [MESSAGE | {"content": [{"type": "output_text", "text": "42"}]}]},
        {"content": "42", "stop": True, "stop_type": "eos", "tokens_predicted": 2, "tokens_evaluated": 4},
    ]
    for document in documents:
        for body in (
            json.dumps(document),
            json.dumps(document, indent=2),
            "\n " + json.dumps(document) + "\n",
        ):
            for content_type in ("application/json", None):
                reply = read_every_way(body.encode(), content_type)
                assert (reply["text"], reply["ok"], reply["finish_reason"]) == ("42", True, "stop"), document
                assert (reply["streamed"], reply["first_token_event"]) == (False, None), document


@pytest.mark.parametrize(
    ("pieces", "reasoning", "text", "first_output"),
    [
        (["<th", "ink>Half", "</thi", "nk>", "\n\n", "42"], "Half", "42", 5),
        (["<think>\nHalf\n</think>\n\n42"], "Half", "42", 0),
        (["Half of 84.", "\n</think>\n", "42"], "Half of 84.", "42", 2),
        (["<think>never", " ends"], "never ends", "", None),
        ([" \n<think>a</think><think>b</think>", "c"], "a\nb", "c", 1),
        (["[THINK]a[/THINK]", "c"], "a", "c", 1),
        (["Write `</think>` to end."], "", "Write `</think>` to end.", 0),
        (["1 < 2 <think"], "", "1 < 2 <think", 0),
        (["<think></think>", "42"], "", "42", 1),
    ],
)
def test_thinking_between_tags(
    pieces: list[str], reasoning: str, text: str, first_output: int | None
) -> None:
    reply = read_every_way(sse(*words(*pieces), chunk({}, "stop"), DONE))
    assert (reply["reasoning"], reply["text"]) == (reasoning, text)
    assert (reply["first_token_event"], reply["first_output_event"]) == (0, first_output)


def test_a_closing_tag_is_text_where_the_server_separates_thinking() -> None:
    body = sse(*words("a", key="reasoning"), *words("The tag </think> ends it."), chunk({}, "stop"), DONE)
    assert read_every_way(body)["text"] == "The tag </think> ends it."


def test_usage_stated_once_is_a_total_and_no_count_of_its_event() -> None:
    reply = read_every_way(sse(chunk(ROLE), chunk({"content": "a b c"}, "stop", usage=usage(4, 3, 7)), DONE))
    assert (reply["tokens_per_event"], reply["token_source"]) == (None, "usage")


def test_a_cached_prompt_in_the_total_only_is_no_thinking() -> None:
    counts = usage_chunk(4, 2, 14, cached_tokens=8)
    reply = read_every_way(sse(*words("a"), chunk({}, "stop"), counts, DONE))
    assert (reply["usage"]["completion"], reply["usage"]["reasoning"]) == (2, None)
    assert reply["suspect"]


def test_running_usage_must_speak_of_every_event_with_output() -> None:
    finish = chunk({}, "stop", usage=usage(4, 3, 7))
    reply = read_every_way(sse(chunk(ROLE), *words("a", "b"), finish, usage_chunk(4, 3, 7), DONE))
    assert (reply["tokens_per_event"], reply["token_source"]) == (None, "usage")


def test_a_running_count_that_falls_is_no_count_of_events() -> None:
    events = [chunk({"content": "a"}, usage=usage(4, n, 4 + n)) for n in (3, 2, 5)]
    reply = read_every_way(sse(*events, chunk({}, "stop"), DONE))
    assert (reply["tokens_per_event"], reply["usage"]["completion"]) == (None, 5)
    assert "a running token count fell" in reply["suspect"]


@pytest.mark.parametrize("count", [True, -5, 5.0, "5", [5], {"n": 5}, 10**30, math.nan])
def test_what_is_no_count_is_unknown(count: Any) -> None:
    reply = read_every_way(sse(*words("a"), chunk({}, "stop"), usage_chunk(4, count, 9), DONE))
    assert reply["ok"]
    assert (reply["usage"]["completion"], reply["token_source"]) == (None, NO_COUNT)
    assert reply["suspect"]


@pytest.mark.parametrize("value", ["many", [1], 3, True])
def test_a_usage_that_is_no_object_is_unknown(value: Any) -> None:
    reply = read_every_way(sse(*words("a"), chunk({}, "stop", usage=value), DONE))
    assert (reply["ok"], reply["usage"], reply["token_source"]) == (True, None, NO_COUNT)
    assert reply["suspect"] == ["usage is no object"]


def test_zero_tokens_beside_output_are_unknown() -> None:
    reply = read_every_way(sse(*words("a"), chunk({}, "stop"), usage_chunk(0, 0, 0), DONE))
    counts = reply["usage"]
    assert (counts["prompt"], counts["completion"], counts["total"]) == (None, None, None)
    assert reply["suspect"]


def test_tool_calls_without_an_index_or_with_the_same_one() -> None:
    def call(call_id: str | None, name: str | None, arguments: Any, **index: int) -> dict[str, Any]:
        return {**index, "id": call_id, "function": {"name": name, "arguments": arguments}}

    whole = chunk({"tool_calls": [call("a", "f", "{}"), call("b", "g", {"x": 1})]}, "tool_calls")
    reply = read_every_way(sse(whole, DONE))
    assert [(c["id"], c["name"], c["arguments"]) for c in reply["tool_calls"]] == [
        ("a", "f", "{}"),
        ("b", "g", '{"x":1}'),
    ]
    same = [
        chunk({"tool_calls": [call("a", "f", "{}", index=0)]}),
        chunk({"tool_calls": [call("b", "g", "{", index=0)]}),
        chunk({"tool_calls": [call(None, None, "}", index=0)]}, "tool_calls"),
    ]
    reply = read_every_way(sse(*same, DONE))
    assert [(c["id"], c["arguments"]) for c in reply["tool_calls"]] == [("a", "{}"), ("b", "{}")]


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        *[("end_turn", "stop"), ("eos", "stop"), ("max_tokens", "length"), ("MAX_TOKENS", "length")],
        *[("tool_use", "tool_calls"), ("SAFETY", "content_filter"), ("novel", "novel")],
    ],
)
def test_finish_reasons_in_one_vocabulary(stated: str, reason: str) -> None:
    assert read_every_way(sse(*words("a"), chunk({}, stated), DONE))["finish_reason"] == reason


@pytest.mark.parametrize("reason", ["abort", "error", "cancelled"])
def test_a_generation_that_the_engine_gave_up_has_failed(reason: str) -> None:
    reply = read_every_way(sse(*words("a"), chunk({}, reason), DONE))
    assert (reply["ok"], reply["finish_reason"]) == (False, reason)


def test_a_character_cut_into_two_escapes_is_put_together() -> None:
    raw = b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
    raw += b'data: {"choices":[{"delta":{"content":"\\ude42"},"finish_reason":"stop"}]}\n\n'
    assert read_every_way(raw)["text"] == "\N{SLIGHTLY SMILING FACE}"


def test_bodies_that_are_no_stream() -> None:
    for body in (b"<html>no</html>", b"Internal Server Error", b"\x00\xff\xfe", b": only\n\n: comments\n\n"):
        assert read_every_way(body, "text/event-stream")["error"]["message"] == "not an event stream"
    for body in (b"", b" \r\n\n"):
        assert read_every_way(body)["error"]["message"] == "empty response body"
    assert read_every_way(b'{"hello":"world"}', "application/json")["ok"] is False
    assert (
        read_every_way(b'{"choices":[{"message":{"con', "application/json")["error"]["message"]
        == "stream cut"
    )


def test_an_http_status_is_an_error_and_keeps_the_words() -> None:
    reply = read(b'{"error":{"message":"no such model"}}', "application/json", status=404)
    assert not reply.ok
    assert reply.error is not None
    assert (reply.error.message, reply.error.code) == ("no such model", 404)
    reply = read(b"<html>bad gateway</html>", "text/html", status=502)
    assert reply.error is not None
    assert (reply.error.message, reply.error.code) == ("HTTP 502: <html>bad gateway</html>", 502)


@pytest.mark.parametrize(
    ("code", "message"), [("cut", "stream cut"), ("stall", "stream stalled"), ("new", "new")]
)
def test_a_transport_error_fails_an_unfinished_answer_only(code: str, message: str) -> None:
    unfinished = [(1, sse(*words("a")))]
    reply = parse(unfinished, content_type=None, status=200, transport_error=code, t_end=9)
    assert reply.error is not None
    assert (reply.error.message, reply.error.code, reply.text) == (message, code, "a")
    finished = [(1, sse(*words("a"), chunk({}, "stop")))]
    reply = parse(finished, content_type=None, status=200, transport_error=code, t_end=9)
    assert reply.ok
    assert reply.suspect == (f"transport error after the answer: {code}",)
