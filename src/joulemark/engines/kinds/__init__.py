"""Which engine stands behind a URL, and what it says of its model.

Each engine is known by an endpoint of its own. What it does not say stays null.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from joulemark.engines.kinds.identity import Identity
from joulemark.engines.kinds.llama_cpp import llama_cpp
from joulemark.engines.kinds.lm_studio import lm_studio, lm_studio_loaded
from joulemark.engines.kinds.ollama import ollama, ollama_loaded
from joulemark.engines.kinds.others import local_ai, named_service, text_generation_webui
from joulemark.engines.kinds.sglang import sglang
from joulemark.engines.kinds.tgi import tgi
from joulemark.engines.kinds.vllm import vllm
from joulemark.engines.probe import Prober
from joulemark.record.errors import InputError
from joulemark.record.simulated import SIMULATED

__all__ = ["UNKNOWN", "Identity", "identify", "look_again"]

UNKNOWN = Identity("openai-compatible")

_Detector = Callable[[Prober, str, str, Mapping[str, object]], Awaitable[Identity | None]]
# Several answer for others too: SGLang, LocalAI and KoboldCpp as Ollama, KoboldCpp as llama.cpp. So they are
# looked for before those that they imitate.
_DETECTORS: tuple[_Detector, ...] = (
    named_service,
    vllm,
    llama_cpp,
    sglang,
    local_ai,
    ollama,
    tgi,
    lm_studio,
    text_generation_webui,
)
_LOADED = {"ollama": ollama_loaded, "lm-studio": lm_studio_loaded}


async def identify(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity:
    """Return who answers below the path ``root``. ``listed`` is the model's entry in ``/v1/models``.

    Raises `InputError` where nothing identifies the engine and some page of it did not come in time: another
    kind would change the identity of the run.
    """
    for detector in _DETECTORS:
        found = await detector(prober, root, model, listed)
        if found is not None:
            return _marked(found, listed)
    if prober.timed_out:
        raise InputError(
            "the engine did not answer its own page in time",
            why="so it cannot be told which engine it is",
            fix="try again when it is idle",
        )
    return _marked(UNKNOWN, listed)


def _marked(identity: Identity, listed: Mapping[str, object]) -> Identity:
    """Return ``identity`` as one that no run ranks with measured ones, where the model list says so."""
    if listed.get("simulated") is not True:
        return identity
    return replace(identity, kind=f"{SIMULATED}{identity.kind}")


async def look_again(prober: Prober, root: str, model: str, identity: Identity) -> Identity:
    """Return ``identity`` with what the engine tells only of a model that is loaded."""
    look = _LOADED.get(identity.kind.removeprefix(SIMULATED))
    if look is None:
        return identity
    return replace(await look(prober, root, model, identity), kind=identity.kind)
