"""Spans for other programs: OTLP as JSON, and posted to a collector.

JSON needs nothing but the standard installation. Posting uses OpenTelemetry's own exporter (extra
``export``), which also minds its environment variables: ``OTEL_EXPORTER_OTLP_HEADERS`` is the place for a
token.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import joulemark
from joulemark.record.errors import InputError
from joulemark.report.spans import AttributeValue, RequestSpan

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

PIP_FIX = "pip install 'joulemark[export]'"
SERVICE = "joulemark"
_PATH = "/v1/traces"
_BATCH = 256
_TIMEOUT_S = 10.0
_CLIENT, _ERROR = 3, 2  # SPAN_KIND_CLIENT, STATUS_CODE_ERROR (opentelemetry/proto/trace/v1/trace.proto)


def otlp_json(spans: Sequence[RequestSpan]) -> dict[str, object]:
    """Return the spans as the OTLP/JSON document of an export request: 64-bit numbers are strings there."""
    scope = {"name": SERVICE, "version": joulemark.__version__}
    resource = {"attributes": _json_attributes(_resource())}
    rows = [_json_span(span) for span in spans]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": rows}]}]}


def post(spans: Sequence[RequestSpan], url: str) -> str:
    """Post the spans to a collector and return the address used; ``url`` may lack the path of traces.

    Raises `InputError` where it did not take them. What was taken before a failure stays taken.
    """
    endpoint = traces_url(url)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError as error:
        raise InputError("posting spans needs OpenTelemetry", why=str(error), fix=PIP_FIX) from error
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_TIMEOUT_S)
    try:
        with _complaints() as said:
            for start in range(0, len(spans), _BATCH):
                batch = [_readable(span) for span in spans[start : start + _BATCH]]
                if exporter.export(batch) is not SpanExportResult.SUCCESS:
                    raise InputError(
                        f"the collector at {endpoint} did not take the spans"
                        + (f" after the first {start}" if start else ""),
                        why=said[-1] if said else "the exporter does not say why",
                        fix="see that it runs and takes OTLP over HTTP, or write a file: --out spans.json",
                    )
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    return endpoint


def traces_url(url: str) -> str:
    """Return the address for traces of a collector; raises `InputError` where it is no web address."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"{url!r} is no web address", fix="--otlp http://127.0.0.1:4318")
    return url.rstrip("/") + _PATH if parts.path in ("", "/") else url


def _resource() -> dict[str, AttributeValue]:
    return {"service.name": SERVICE, "service.version": joulemark.__version__}


def _json_span(span: RequestSpan) -> dict[str, object]:
    row: dict[str, object] = {"traceId": span.trace_id.hex(), "spanId": span.span_id.hex()}
    if span.parent_id is not None:
        row["parentSpanId"] = span.parent_id.hex()
    row |= {
        "name": span.name,
        "kind": _CLIENT,
        "startTimeUnixNano": str(span.start_unix_ns),
        "endTimeUnixNano": str(span.end_unix_ns),
        "attributes": _json_attributes(dict(span.attributes)),
    }
    if span.events:
        row["events"] = [{"timeUnixNano": str(e.t_unix_ns), "name": e.name} for e in span.events]
    if span.error is not None:
        row["status"] = {"code": _ERROR, "message": span.error}
    return row


def _json_attributes(attributes: dict[str, AttributeValue]) -> list[dict[str, object]]:
    return [{"key": name, "value": _json_value(value)} for name, value in attributes.items()]


def _json_value(value: AttributeValue) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, tuple):
        return {"arrayValue": {"values": [_json_value(one) for one in value]}}
    return {"stringValue": value}


def _readable(span: RequestSpan) -> ReadableSpan:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    def context(span_id: bytes) -> SpanContext:
        trace_id = int.from_bytes(span.trace_id, "big")
        sampled = TraceFlags(TraceFlags.SAMPLED)
        return SpanContext(trace_id, int.from_bytes(span_id, "big"), is_remote=False, trace_flags=sampled)

    return ReadableSpan(
        name=span.name,
        context=context(span.span_id),
        parent=None if span.parent_id is None else context(span.parent_id),
        resource=Resource(dict(_resource())),  # made directly: detectors would add the machine's name
        attributes=dict(span.attributes),
        events=[Event(event.name, timestamp=event.t_unix_ns) for event in span.events],
        kind=SpanKind.CLIENT,
        instrumentation_scope=InstrumentationScope(SERVICE, joulemark.__version__),
        status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
        start_time=span.start_unix_ns,
        end_time=span.end_unix_ns,
    )


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Collect what the exporter says, which tells why only in its log; keep it off the terminal."""
    said: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger = logging.getLogger("opentelemetry")
    handler, propagates = Collect(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
