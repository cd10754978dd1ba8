"""Engines that are known by name only: what else they say of themselves is not read."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.engines.kinds.identity import Identity, items, mapping, text
from joulemark.engines.probe import Prober

_SERVICES = {"koboldcpp": "koboldcpp", "tabbyapi": "tabbyapi", "aphrodite engine": "aphrodite"}


async def named_service(
    prober: Prober, root: str, model: str, listed: Mapping[str, object]
) -> Identity | None:
    """Know KoboldCpp, TabbyAPI and Aphrodite by the page that names their software.

    It is looked at first: KoboldCpp also answers as llama.cpp and as Ollama.
    """
    software = mapping((await prober.json(f"{root}/.well-known/serviceinfo") or {}).get("software"))
    kind = _SERVICES.get((text(software.get("name")) or "").lower())
    return None if kind is None else Identity(kind, version=text(software.get("version")))


async def local_ai(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know LocalAI by its list of capabilities; it also answers as Ollama."""
    entries = items((await prober.json(f"{root}/v1/models/capabilities") or {}).get("data"))
    if not any(isinstance(entry, dict) and "capabilities" in entry for entry in entries):
        return None
    version = text((await prober.json(f"{root}/version") or {}).get("version"))
    return Identity("localai", version=version)


async def text_generation_webui(
    prober: Prober, root: str, model: str, listed: Mapping[str, object]
) -> Identity | None:
    """Know text-generation-webui by its page of the loaded model."""
    info = await prober.json(f"{root}/v1/internal/model/info") or {}
    if "model_name" not in info or "lora_names" not in info:
        return None
    return Identity("text-generation-webui")
