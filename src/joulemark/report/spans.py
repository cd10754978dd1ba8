"""A recorded run as spans, one a request, in OpenTelemetry's words for generative AI. Pure.

Names follow the GenAI semantic conventions (in development upstream, moved to a repository of their own in
2026); what they do not have is ``joulemark.…``. An attribute that is not known is left out, and
``joulemark.reason.NAME`` holds the code of why. Nothing names the machine, the engine's address or what was
asked and answered. Identifiers are digests of the run's own, so that a run exported twice is the same
spans.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from joulemark.metrics.run_view import RunView
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Attempt, Item
from joulemark.record.manifest import Manifest, Segment
from joulemark.record.reason import Reason

AttributeValue = str | bool | int | float | tuple[str, ...]

OPERATION = "chat"
_TRACE_BYTES, _SPAN_BYTES = 16, 8
_REASON = "joulemark.reason."
_OTHER_ERROR = "_OTHER"  # the conventions' value for an error without a name


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened within a span. ``t_unix_ns`` is UTC."""

    name: str
    t_unix_ns: int


@dataclass(frozen=True, slots=True)
class RequestSpan:
    """A request, or one attempt at it (then with a parent). Identifiers are bytes, stamps UTC nanoseconds."""

    name: str
    trace_id: bytes
    span_id: bytes
    parent_id: bytes | None
    start_unix_ns: int
    end_unix_ns: int
    attributes: Mapping[str, AttributeValue]
    events: tuple[SpanEvent, ...] = ()
    error: str | None = None


@dataclass(slots=True)
class _Attributes:
    """Attributes being collected; what is null gets its reason."""

    known: dict[str, AttributeValue] = field(default_factory=dict)

    def put(self, name: str, value: AttributeValue | None, reason: str | Reason | None = None) -> None:
        if value is not None:
            self.known[name] = value
        elif reason is not None:
            self.known[_REASON + name] = str(reason)


def spans_of(view: RunView) -> list[RequestSpan]:
    """Return the spans of a run's requests in the order of asking; retries follow their request.

    A request of a segment that the manifest does not have is left out: nothing places it in time.
    """
    manifest = view.manifest
    segments = {segment.index: segment for segment in manifest.segments}
    energies = {(key, row.segment): row for key, row in view.headline_attributions().items()}
    abandoned = {((row.item_id, row.repeat), row.segment): row for row in view.abandoned_attributions()}
    spans: list[RequestSpan] = []
    for item in view.items:
        segment = segments.get(item.segment)
        if segment is not None:
            row = {**abandoned, **energies}.get((item.key, item.segment))
            spans.extend(_item_spans(view, item, segment, row))
    return spans


def _item_spans(
    view: RunView, item: Item, segment: Segment, energy: Attribution | None
) -> Sequence[RequestSpan]:
    manifest = view.manifest
    identity = (manifest.run_id, item.item_id, item.repeat, item.segment, item.phase)
    trace_id = _digest(_TRACE_BYTES, "trace", *identity)
    span_id = _digest(_SPAN_BYTES, "request", *identity)
    attributes = _request_attributes(manifest)
    _put_response(attributes, item)
    _put_energy(attributes, view, energy)
    error = item.attempts[-1].error if item.attempts else None
    if error is None and item.verdict is not None and item.verdict.value == "failed":
        error = _OTHER_ERROR
    attributes.put("error.type", error)
    marks = (("first_token", item.t_first), ("first_answer_token", item.t_first_answer))
    request = RequestSpan(
        f"{OPERATION} {manifest.engine.model}",
        trace_id,
        span_id,
        None,
        _unix_ns(segment, item.t_begin),
        _unix_ns(segment, item.t_end),
        attributes.known,
        tuple(SpanEvent(name, _unix_ns(segment, t_ns)) for name, t_ns in marks if t_ns is not None),
        error,
    )
    if len(item.attempts) < 2:
        return [request]
    attempts = [
        _attempt_span(request, segment, number, attempt, manifest)
        for number, attempt in enumerate(item.attempts)
    ]
    return [request, *attempts]


def _attempt_span(
    request: RequestSpan, segment: Segment, number: int, attempt: Attempt, manifest: Manifest
) -> RequestSpan:
    attributes = _request_attributes(manifest)
    attributes.put("joulemark.attempt", number)
    attributes.put("error.type", attempt.error)
    attributes.put("gen_ai.usage.output_tokens", attempt.tokens, Reason.NOT_REPORTED)
    return RequestSpan(
        request.name,
        request.trace_id,
        _digest(_SPAN_BYTES, "attempt", request.span_id.hex(), number),
        request.span_id,
        _unix_ns(segment, attempt.t_sent),
        _unix_ns(segment, attempt.t_end),
        attributes.known,
        error=attempt.error,
    )


def _request_attributes(manifest: Manifest) -> _Attributes:
    sampling = manifest.sampling
    attributes = _Attributes()
    attributes.put("gen_ai.operation.name", OPERATION)
    attributes.put("gen_ai.provider.name", manifest.engine.kind)
    attributes.put("gen_ai.request.model", manifest.engine.model)
    attributes.put("gen_ai.request.temperature", sampling.temperature)
    attributes.put("gen_ai.request.top_p", sampling.top_p)
    attributes.put("gen_ai.request.max_tokens", sampling.max_tokens)
    attributes.put("gen_ai.request.seed", sampling.seed)
    attributes.put("joulemark.run_id", manifest.run_id)
    return attributes


def _put_response(attributes: _Attributes, item: Item) -> None:
    why = item.reasons.get
    missing = Reason.NOT_REPORTED.value
    attributes.put("joulemark.item_id", item.item_id)
    attributes.put("joulemark.repeat", item.repeat)
    attributes.put("joulemark.phase", item.phase)
    attributes.put("joulemark.verdict", None if item.verdict is None else item.verdict.value)
    attributes.put("joulemark.score", item.score)
    attributes.put("gen_ai.response.model", None, Reason.NOT_MEASURED)  # the record has the model asked for
    finished = None if item.finish_reason is None else (item.finish_reason,)
    attributes.put("gen_ai.response.finish_reasons", finished, why("finish_reason", missing))
    for name, count, recorded in (
        ("input_tokens", item.prompt_tokens, "prompt_tokens"),
        ("output_tokens", item.completion_tokens, "completion_tokens"),
        ("cache_read.input_tokens", item.cached_tokens, "cached_tokens"),
        ("reasoning.output_tokens", item.reasoning_tokens, "reasoning_tokens"),
    ):
        attributes.put(f"gen_ai.usage.{name}", count, why(recorded, missing))
    attributes.put("gen_ai.request.stream", item.streamed, why("streamed", missing))
    first_s = None if item.t_first is None or not item.streamed else (item.t_first - item.t_sent) * 1e-9
    unseen = Reason.NOT_STREAMED.value if item.streamed is False else Reason.NO_TOKEN_SEEN.value
    attributes.put("gen_ai.response.time_to_first_chunk", first_s, why("t_first", unseen))


def _put_energy(attributes: _Attributes, view: RunView, energy: Attribution | None) -> None:
    """Put what the request cost by the headline's meter, or the reason why that is not known."""
    name = "joulemark.energy."
    total = view.headline_energy
    if energy is None:
        reason = Reason.NOT_MEASURED if isinstance(total, MeasuredEnergy) else total.reason
        attributes.put(name + "reason", reason.value)
        return
    attributes.put(name + "scope", energy.scope)
    attributes.put(name + "attribution", energy.method)
    if isinstance(total, MeasuredEnergy):
        attributes.put(name + "method", total.method.value)
    attributes.put(name + "joules", energy.joules)
    attributes.put(name + "lo", energy.lo)
    attributes.put(name + "hi", energy.hi)
    if energy.reason is not None:
        attributes.put(name + "reason", energy.reason.value)


def _unix_ns(segment: Segment, t_ns: int) -> int:
    """Return UTC nanoseconds of a stamp: the segment's clock was tied to UTC at its beginning."""
    return segment.wall_anchor_ns + (t_ns - segment.t0)


def _digest(length: int, *parts: object) -> bytes:
    digest = hashlib.sha256(repr(parts).encode()).digest()[:length]
    return digest if any(digest) else b"\x01" * length  # all zeroes mean "no identifier"
