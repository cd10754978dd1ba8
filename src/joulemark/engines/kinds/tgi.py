"""Text Generation Inference."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.engines.kinds.identity import Identity, integer, text
from joulemark.engines.probe import Prober


async def tgi(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know TGI by ``/info``. Its prefix cache is set where it starts, and that page does not tell how."""
    info = await prober.json(f"{root}/info")
    if info is None or "model_id" not in info or "max_concurrent_requests" not in info:
        return None
    commit = text(info.get("model_sha"))
    return Identity(
        kind="tgi",
        version=text(info.get("version")),
        model_digest=f"hf-commit:{commit}" if commit else None,
        quantization=text(info.get("quantize")) or text(info.get("model_dtype")),
        flags={
            "model_id": text(info.get("model_id")),
            "router": text(info.get("router")),
            "n_ctx": integer(info.get("max_total_tokens")),
            "max_input_tokens": integer(info.get("max_input_tokens")),
        },
    )
