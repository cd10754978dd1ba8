"""Text Generation Inference's native API: one token object an event."""

from __future__ import annotations

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.tally import CountSource
from joulemark.engines.streams.usage import Usage, token_count

GENERATED = "details.generated_tokens"


def read_tgi(obj: Json, draft: Draft) -> None:
    """Read an event of ``/generate_stream`` or the answer of ``/generate``.

    The text of a special token is no answer, but the token was generated.
    """
    choice = draft.choice(0)
    token = obj.get("token")
    if isinstance(token, dict):
        draft.tally.state(CountSource.ONE_A_CHUNK, draft.event, 1)
        draft.produced()
        if token.get("special") is not True:
            draft.add_text(choice, token.get("text"))
    elif not choice.texts:
        draft.add_text(choice, obj.get("generated_text"))
    details = obj.get("details")
    if isinstance(details, dict):
        draft.end(choice, details.get("finish_reason"))
        completion = token_count(details.get("generated_tokens"), GENERATED, draft.complain)
        prompt = token_count(details.get("input_length"), "details.input_length", draft.complain)
        if prompt is None and isinstance(prefill := details.get("prefill"), list) and prefill:
            prompt = len(prefill)
        if completion is not None:
            draft.native = (GENERATED, Usage(prompt, completion))
    elif isinstance(obj.get("generated_text"), str):
        draft.end(choice, "stop")
