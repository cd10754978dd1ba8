"""A run as OpenTelemetry spans: what is in them, what is not, and whether a collector understands them."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv.attributes import error_attributes

from doubles.otlp_receiver import OtlpReceiver
from doubles.prometheus import unused_port
from doubles.run_views import T0, S, item, manifest, not_streamed, with_counter, without_meter
from joulemark.metrics.run_view import RunView
from joulemark.record.attribution import Attribution
from joulemark.record.errors import InputError
from joulemark.record.item import Attempt, Verdict
from joulemark.record.manifest import Segment
from joulemark.record.reason import Reason
from joulemark.report.otlp import otlp_json, post, traces_url
from joulemark.report.spans import RequestSpan, spans_of

UTC_NS = 1_900_000_000 * S
CONVENTIONS = {
    value
    for module in (gen_ai_attributes, error_attributes)
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str)
}


def anchored(view: RunView) -> RunView:
    (segment,) = view.manifest.segments
    placed = segment.model_copy(update={"wall_anchor_ns": UTC_NS})
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update={"segments": [placed]}))


@pytest.fixture(scope="module")
def view() -> RunView:
    return anchored(with_counter(30, with_failures=True))


def requests(spans: list[RequestSpan]) -> dict[str, RequestSpan]:
    return {str(span.attributes["joulemark.item_id"]): span for span in spans if span.parent_id is None}


def test_a_request_is_a_span_with_the_conventions_names(view: RunView) -> None:
    spans = requests(spans_of(view))
    assert len(spans) == len(view.items)
    one = view.measured_items[0]
    energy = view.headline_attributions()[one.key]
    span = spans[one.item_id]
    assert span.name == "chat SmolLM2-135M-Instruct"
    assert span.start_unix_ns == UTC_NS + one.t_begin - T0
    assert span.end_unix_ns == UTC_NS + one.t_end - T0
    assert one.t_first is not None
    assert span.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "llama.cpp",
        "gen_ai.request.model": "SmolLM2-135M-Instruct",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.top_p": 1.0,
        "gen_ai.request.max_tokens": 128,
        "gen_ai.request.seed": 1234,
        "gen_ai.request.stream": True,
        "joulemark.reason.gen_ai.response.model": "not_measured",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.response.time_to_first_chunk": pytest.approx((one.t_first - one.t_sent) / S),
        "gen_ai.usage.input_tokens": one.prompt_tokens,
        "gen_ai.usage.output_tokens": one.completion_tokens,
        "joulemark.reason.gen_ai.usage.cache_read.input_tokens": "not_reported",
        "joulemark.reason.gen_ai.usage.reasoning.output_tokens": "not_reported",
        "joulemark.run_id": view.manifest.run_id,
        "joulemark.item_id": one.item_id,
        "joulemark.repeat": 0,
        "joulemark.phase": "measure",
        "joulemark.verdict": one.verdict,
        "joulemark.score": one.score,
        "joulemark.energy.scope": view.headline_scope,
        "joulemark.energy.attribution": "sequential",
        "joulemark.energy.method": "counter",
        "joulemark.energy.joules": energy.joules,
        "joulemark.energy.lo": energy.lo,
        "joulemark.energy.hi": energy.hi,
    }
    assert [(event.name, event.t_unix_ns) for event in span.events] == [
        ("first_token", UTC_NS + one.t_first - T0),
        ("first_answer_token", UTC_NS + one.t_first - T0),
    ]


def test_every_name_is_the_conventions_or_ours(view: RunView) -> None:
    names = {name for span in spans_of(view) for name in span.attributes}
    foreign = {name for name in names if not name.startswith("joulemark.")}
    assert foreign <= CONVENTIONS
    assert "gen_ai.system" not in foreign  # its successor is gen_ai.provider.name
    reasons = {
        name.removeprefix("joulemark.reason.") for name in names if name.startswith("joulemark.reason.")
    }
    assert reasons <= CONVENTIONS


def test_nothing_unknown_is_a_number(view: RunView) -> None:
    for span in spans_of(view):
        for name in span.attributes:
            if name.startswith("joulemark.reason."):
                assert name.removeprefix("joulemark.reason.") not in span.attributes
                assert Reason(str(span.attributes[name])).text


def test_a_retry_is_a_child_and_a_failure_an_error(view: RunView) -> None:
    spans = spans_of(view)
    parents = {span.span_id: span for span in spans if span.parent_id is None}
    children = [span for span in spans if span.parent_id is not None]
    retried = [one for one in view.items if len(one.attempts) > 1]
    assert len(children) == 2 * len(retried) > 0
    for child in children:
        assert child.parent_id is not None
        parent = parents[child.parent_id]
        assert child.trace_id == parent.trace_id
        assert parent.start_unix_ns <= child.start_unix_ns <= child.end_unix_ns
        assert child.end_unix_ns <= parent.end_unix_ns + 1  # the made-up run rounds twice
        assert child.attributes.get("error.type") == child.error
    by_item = requests(spans)
    for one in retried:
        span = by_item[one.item_id]
        failed = one.verdict is Verdict.FAILED
        assert span.attributes.get("error.type") == ("reset" if failed else None)
        assert (span.error is not None) == failed
        assert span.start_unix_ns == UTC_NS + one.attempts[0].t_sent - T0


def test_a_failure_without_a_code_is_still_an_error() -> None:
    failed = item(0, verdict=Verdict.FAILED, first_s=None, tokens=None, streamed=None)
    (span,) = spans_of(RunView(manifest(), (failed,)))
    assert span.attributes["error.type"] == "_OTHER"
    assert span.attributes["joulemark.reason.gen_ai.usage.output_tokens"] == "not_reported"
    assert span.attributes["joulemark.reason.gen_ai.response.time_to_first_chunk"] == "no_token_seen"


def test_identifiers_are_the_runs_own_and_none_stands_twice(view: RunView) -> None:
    spans = spans_of(view)
    assert spans == spans_of(view)
    assert len({span.span_id for span in spans}) == len(spans)
    assert len({span.trace_id for span in spans}) == len(view.items)
    other = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"run_id": "another"}))
    assert not {span.span_id for span in spans} & {span.span_id for span in spans_of(other)}


def test_each_segment_has_its_own_tie_to_utc() -> None:
    later = Segment(index=1, boot_id="b2", host_hash="h", wall_anchor_ns=UTC_NS, t0=7, t1=None)
    described = manifest()
    described.segments.append(later)
    first, second, lost = (
        item(0),
        item(1, segment=1),
        item(2, segment=9),
    )
    second = dataclasses.replace(second, t_sent=7 + S, t_end=7 + 2 * S, t_first=None, t_first_answer=None)
    spans = spans_of(RunView(described, (first, second, lost)))
    assert [(span.start_unix_ns, span.end_unix_ns) for span in spans] == [
        (0, round(1.2 * S)),
        (UTC_NS + S, UTC_NS + 2 * S),
    ]


def test_without_a_meter_there_is_a_reason_and_no_zero() -> None:
    for span in spans_of(without_meter(5)):
        assert span.attributes["joulemark.energy.reason"] == "no_meter"
        assert "joulemark.energy.joules" not in span.attributes
        assert "joulemark.energy.lo" not in span.attributes


def test_a_share_by_rule_has_no_bound() -> None:
    one = item(0)
    row = Attribution(one.item_id, 0, 0, "equal_share", "wall/psu/gpu:0", 12.5, None, None, Reason.ALLOCATED)
    whole = with_counter(3)
    view = dataclasses.replace(
        whole,
        items=(one,),
        attributions=(row,),
        headline_method="equal_share",
        headline_scope="wall/psu/gpu:0",
    )
    (span,) = spans_of(view)
    attributes = span.attributes
    assert attributes["joulemark.energy.joules"] == 12.5
    assert attributes["joulemark.energy.reason"] == "allocated"
    assert "joulemark.energy.lo" not in attributes


def test_an_answer_in_one_piece_has_no_first_chunk() -> None:
    span = spans_of(not_streamed())[5]
    assert span.attributes["gen_ai.request.stream"] is False
    assert span.attributes["joulemark.reason.gen_ai.response.time_to_first_chunk"] == "not_streamed"
    assert span.events == ()


def test_nothing_names_the_machine_or_what_was_said(view: RunView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=secret-box")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "another")
    with OtlpReceiver() as receiver:
        post(spans_of(view), receiver.url)
    (resource,) = {r.resource.SerializeToString() for q in receiver.requests for r in q.resource_spans}
    assert b"secret-box" not in resource
    sent = MessageToDict(receiver.requests[0].resource_spans[0].resource)
    names = {row["key"]: row["value"]["stringValue"] for row in sent["attributes"]}
    assert names["service.name"] == "joulemark"
    assert set(names) == {"service.name", "service.version"}
    text = json.dumps(otlp_json(spans_of(view)))
    for word in ("server.address", "host.", os.uname().nodename, "gen_ai.input", "gen_ai.output.messages"):
        assert word not in text


def attributes_of(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in span.attributes:
        kind = row.value.WhichOneof("value")
        value = getattr(row.value, kind)
        found[row.key] = tuple(one.string_value for one in value.values) if kind == "array_value" else value
    return found


def test_a_collector_receives_every_span_as_it_is(view: RunView) -> None:
    spans = spans_of(view)
    with OtlpReceiver() as receiver:
        assert post(spans, receiver.url) == f"{receiver.url}/v1/traces"
    assert receiver.headers[0]["content-type"] == "application/x-protobuf"
    assert len(receiver.spans) == len(spans)
    for ours, theirs in zip(spans, receiver.spans, strict=True):
        assert (theirs.trace_id, theirs.span_id) == (ours.trace_id, ours.span_id)
        assert theirs.parent_span_id == (ours.parent_id or b"")
        assert theirs.name == ours.name
        assert theirs.kind == Span.SPAN_KIND_CLIENT
        assert (theirs.start_time_unix_nano, theirs.end_time_unix_nano) == (
            ours.start_unix_ns,
            ours.end_unix_ns,
        )
        assert attributes_of(theirs) == dict(ours.attributes)
        assert [(e.name, e.time_unix_nano) for e in theirs.events] == [
            (e.name, e.t_unix_ns) for e in ours.events
        ]
        assert (theirs.status.code, theirs.status.message) == ((2, ours.error) if ours.error else (0, ""))


def test_the_json_is_what_the_exporter_sends(view: RunView) -> None:
    """OTLP/JSON is protobuf's JSON, but for identifiers, which are hexadecimal."""
    spans = spans_of(view)
    with OtlpReceiver() as receiver:
        post(spans, receiver.url)
    document = json.loads(json.dumps(otlp_json(spans)))
    for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    read = ParseDict(document, ExportTraceServiceRequest())
    ours = [s for r in read.resource_spans for scope in r.scope_spans for s in scope.spans]
    for one, sent in zip(ours, receiver.spans, strict=True):
        sent.ClearField("flags")  # that a span was sampled; the JSON need not say it
        if sent.status.code == 0:
            sent.ClearField("status")
        assert one == sent
    assert read.resource_spans[0].resource == receiver.requests[0].resource_spans[0].resource


def test_many_spans_go_in_several_requests() -> None:
    many = tuple(item(i, start_s=2.0 * i) for i in range(600))
    with OtlpReceiver() as receiver:
        post(spans_of(RunView(manifest(), many)), receiver.url)
        assert len(receiver.requests) > 1
        assert len(receiver.spans) == 600


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_collector_that_refuses_is_an_error_that_says_why(view: RunView, status: int) -> None:
    with OtlpReceiver(status) as receiver, pytest.raises(InputError) as caught:
        post(spans_of(view), receiver.url)
    assert str(status) in caught.value.why
    assert caught.value.fix
    assert receiver.url in caught.value.what


def test_nobody_there_is_an_error_that_says_why(view: RunView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.report.otlp._TIMEOUT_S", 0.5)  # the exporter tries again until then
    with pytest.raises(InputError) as caught:
        post(spans_of(view), f"http://127.0.0.1:{unused_port()}")
    assert caught.value.why
    assert "does not say why" not in caught.value.why
    assert "--out" in caught.value.fix


def test_addresses_of_collectors() -> None:
    assert traces_url("http://c:4318") == "http://c:4318/v1/traces"
    assert traces_url("http://c:4318/") == "http://c:4318/v1/traces"
    assert traces_url("https://c/otlp/v1/traces") == "https://c/otlp/v1/traces"
    for wrong in ("", "c:4318", "ftp://c", "http://", "http://c:x"):
        with pytest.raises(InputError):
            traces_url(wrong)


def test_an_attempts_tokens_stay_with_it() -> None:
    attempts = (Attempt(T0, T0 + S, "cut", tokens=3), Attempt(T0 + 2 * S, T0 + 3 * S))
    one = dataclasses.replace(item(0), t_sent=T0 + 2 * S, t_end=T0 + 3 * S, attempts=attempts)
    _, first, second = spans_of(RunView(manifest(), (one,)))
    assert first.attributes["gen_ai.usage.output_tokens"] == 3
    assert first.error == "cut"
    assert second.error is None
    assert second.attributes["joulemark.reason.gen_ai.usage.output_tokens"] == "not_reported"
