"""The engines that the simulated server can pass for, as far as a client's parser is concerned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from joulemark.record.errors import InputError
from joulemark.simulate.http import style
from joulemark.simulate.http.style import ChatStyle

MARK = "simulated"
"""What every model's name ends in, and every version."""

HEADER = "X-Joulemark-Simulated"
"""The header that every answer carries; its value is the profile's name."""

ErrorShape = Literal["openai", "vllm", "sglang", "llamacpp", "plain", "tgi", "gateway"]


@dataclass(frozen=True, slots=True)
class Profile:
    """One engine's outside.

    ``kind`` is what ``joulemark.engines.kinds`` calls the engine, ``version`` what it says of itself (null:
    nothing). ``chat_paths`` take OpenAI's requests, ``native_path`` takes Ollama's. ``exact``: it goes on
    after a stop where it is asked to (``ignore_eos``). ``caches``: prompts that begin alike share their
    memory unless the server is told otherwise. ``salted``: a request may part that memory by a
    ``cache_salt``. ``closes``: each stream ends its connection, although it promised to keep it.
    ``any_model``: it does not look at the model's name. ``unknown_ok``: pages that there are not answer 200.
    """

    name: str
    kind: str
    style: ChatStyle
    version: str | None = None
    owned_by: str = MARK
    chat_paths: tuple[str, ...] = ("/v1/chat/completions",)
    native_path: str | None = None
    errors: ErrorShape = "openai"
    exact: bool = False
    caches: bool = False
    salted: bool = False
    closes: bool = False
    any_model: bool = False
    unknown_ok: bool = False
    server_header: str | None = None
    model_prefix: str = ""
    model_tag: str = ""

    def model_id(self, model: str) -> str:
        """Return the name under which this engine offers a model; it always says that it is simulated."""
        return f"{self.model_prefix}{model}-{MARK}{self.model_tag}"


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile("openai", "openai-compatible", style.OPENAI),
            Profile(
                "vllm",
                "vllm",
                style.VLLM,
                version=f"0.11.2+{MARK}",
                owned_by="vllm",
                errors="vllm",
                exact=True,
                caches=True,
                salted=True,
                server_header="uvicorn",
            ),
            Profile(
                "sglang",
                "sglang",
                style.SGLANG,
                version=f"0.5.18+{MARK}",
                owned_by="sglang",
                errors="sglang",
                exact=True,
                caches=True,
                salted=True,
                server_header="uvicorn",
            ),
            Profile(
                "llamacpp",
                "llama.cpp",
                style.LLAMA_CPP,
                version=f"b6990-{MARK}",
                owned_by="llamacpp",
                chat_paths=("/v1/chat/completions", "/chat/completions"),
                errors="llamacpp",
                exact=True,
                caches=True,
                closes=True,
                any_model=True,
                server_header="llama.cpp",
            ),
            Profile(
                "ollama",
                "ollama",
                style.OLLAMA_OPENAI,
                version=f"0.13.0-{MARK}",
                owned_by="library",
                native_path="/api/chat",
                errors="plain",
                caches=True,
                model_tag=":latest",
            ),
            Profile("tgi", "tgi", style.TGI, version=f"3.3.6+{MARK}", errors="tgi", any_model=True),
            Profile(
                "lmstudio",
                "lm-studio",
                style.LM_STUDIO,
                owned_by="organization_owner",
                chat_paths=("/v1/chat/completions", "/api/v0/chat/completions"),
                errors="plain",
                unknown_ok=True,
            ),
            Profile(
                "gateway",
                "openai-compatible",
                style.GATEWAY,
                errors="gateway",
                model_prefix=f"{MARK}/",
            ),
        )
    }
)
"""The profiles by name."""


def profile_named(name: str) -> Profile:
    """Return a profile by its name, whatever its case; raises ``InputError`` for another."""
    found = PROFILES.get(name.strip().lower())
    if found is None:
        raise InputError(f"no engine can be simulated as {name!r}", fix=f"name one of {', '.join(PROFILES)}")
    return found
