"""Which models an OpenAI-compatible engine offers, and where below its address the API lies."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.engines.base_url import BaseUrl
from joulemark.engines.probe import Prober, error_message, json_object
from joulemark.record.errors import InputError

_MAX_NAMES = 10
_START_COMMANDS = {
    11434: "ollama serve",
    1234: "lms server start",
    8000: "vllm serve MODEL",
    30000: "sglang serve",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """The API's base path and its model list, entries by name; ``models`` is null where it has none."""

    api_path: str
    models: Mapping[str, Mapping[str, object]] | None

    def choose(self, wanted: str | None) -> tuple[str, Mapping[str, object]]:
        """Return name and entry of the model to ask: ``wanted``, or the only one there is.

        Raises `InputError` with the names on offer.
        """
        if self.models is None:
            if wanted is None:
                raise InputError(
                    "The engine does not list its models",
                    why="so one has to be named",
                    fix="add --model NAME",
                )
            return wanted, {}
        if wanted is None:
            if len(self.models) == 1:
                return next(iter(self.models.items()))
            if not self.models:
                raise InputError(
                    "The engine has no model", why="its list is empty", fix="load a model into it first"
                )
            raise InputError(
                f"The engine offers {len(self.models)} models",
                why=f"they are {_some(list(self.models))}",
                fix=f"add --model {next(iter(self.models))}",
            )
        for name in (wanted, f"{wanted}:latest"):
            if name in self.models:
                return name, self.models[name]
        near = difflib.get_close_matches(wanted, self.models, n=_MAX_NAMES, cutoff=0.3) or list(self.models)
        raise InputError(
            f"The engine has no model {wanted!r}",
            why=f"it offers {_some(near)}" if near else "it has no model at all",
            fix=f"use --model {near[0]}" if near else "load the model into it first",
        )


async def find_api(prober: Prober, url: BaseUrl, *, has_key: bool) -> Offer:
    """Return where the API is and what it offers. Raises `InputError` for no answer and for a missing key."""
    for path in url.api_paths:
        exchange = await prober.get(f"{path}/models")
        if exchange.error is not None:
            raise _unreachable(url, exchange.error, exchange.detail)
        if exchange.status in (401, 403):
            raise key_error(url.text, error_message(exchange), has_key=has_key)
        answer = json_object(exchange)
        entries = answer.get("data") if answer else None
        if isinstance(entries, list):
            named = {
                entry["id"]: entry
                for entry in entries
                if isinstance(entry, dict) and isinstance(entry.get("id"), str)
            }
            return Offer(path, named)
    return Offer(url.api_paths[0], None)


def key_error(where: str, message: str, *, has_key: bool) -> InputError:
    """Return the error for an engine that refuses us for want of a (right) key."""
    if has_key:
        return InputError(
            f"The engine at {where} refuses the API key", why=message, fix="check the variable's value"
        )
    return InputError(
        f"The engine at {where} asks for an API key",
        why=message,
        fix="export ENGINE_KEY=… and add --api-key-env ENGINE_KEY",
    )


def _unreachable(url: BaseUrl, error: str, detail: str) -> InputError:
    what = f"No engine answers at {url.text}"
    if error == "tls" and "WRONG_VERSION" in detail.upper():
        fix = f"--engine http://{url.host}:{url.port} (it does not speak TLS)"
    elif error == "bad_http":
        fix = f"check the port: something else than an HTTP server listens there, or --engine https://{url.host}:{url.port}"
    elif error in ("stall", "timeout"):
        fix = f"curl -m 5 {url.text}{url.api_paths[0]}/models"
    elif error == "dns":
        fix = "check the spelling of the host's name"
    else:
        command = _START_COMMANDS.get(url.port, f"llama-server -m MODEL.gguf --port {url.port}")
        fix = f"start it ({command}), or leave --engine out for the embedded engine"
    return InputError(what, why=detail or error, fix=fix)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
