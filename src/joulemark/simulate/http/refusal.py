"""How an engine says no, as a whole answer and within a stream."""

from __future__ import annotations

from typing import Any

from joulemark.simulate.http.profile import ErrorShape

_OPENAI_TYPES = {429: "rate_limit_exceeded", 404: "not_found_error", 400: "invalid_request_error"}
_VLLM_TYPES = {400: "BadRequestError", 404: "NotFoundError", 429: "TooManyRequestsError"}


class Refusal(Exception):
    """A request that is not carried out: an HTTP status of 400 or more, and a sentence."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


def error_body(shape: ErrorShape, status: int, message: str) -> dict[str, Any]:
    """Return the JSON of an error as an engine of this ``shape`` writes it."""
    if shape == "plain":
        return {"error": message}
    if shape == "tgi":
        kind = "overloaded" if status == 429 else "validation" if status < 500 else "generation"
        return {"error": message, "error_type": kind}
    if shape == "llamacpp":
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"code": status, "message": message, "type": kind}}
    if shape == "vllm":
        kind = _VLLM_TYPES.get(status, "InternalServerError")
        return {"error": {"message": message, "type": kind, "param": None, "code": status}}
    if shape == "sglang":
        kind = _VLLM_TYPES.get(status, "InternalServerError")
        return {"object": "error", "message": message, "type": kind, "param": None, "code": status}
    if shape == "gateway":
        metadata = {"provider_name": "Simulated"}
        return {"error": {"message": message, "code": status, "metadata": metadata}}
    kind = _OPENAI_TYPES.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def error_in_stream(shape: ErrorShape, status: int, message: str) -> dict[str, Any]:
    """Return the JSON of an error that comes when an answer has begun; SGLang wraps it there."""
    body = error_body(shape, status, message)
    return {"error": body} if shape == "sglang" else body
