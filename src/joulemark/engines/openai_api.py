"""An engine that runs already, given by its URL: looked at, never started."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark.engines.base_url import BaseUrl, parse_base_url
from joulemark.engines.engine import Progress, silent
from joulemark.engines.exchange import Endpoint
from joulemark.engines.file_digest import remembered_sha256
from joulemark.engines.kinds import UNKNOWN, Identity, identify, look_again
from joulemark.engines.model_list import find_api
from joulemark.engines.place import Place, locate
from joulemark.engines.probe import Prober
from joulemark.engines.published_name import published_name
from joulemark.engines.request_style import RequestWriter
from joulemark.engines.route import Route
from joulemark.engines.trial import try_out
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record import manifest

# llama.cpp's name for a part of a split model, whose digest would not name the whole
_PART = re.compile(r"-\d{5}-of-\d{5}\.gguf$")


@dataclass(frozen=True, slots=True)
class UrlOptions:
    """``model`` null takes the only one there is; ``api_key_env`` names the variable that holds the key.

    ``n_ctx`` is the context to ask for in tokens; only Ollama loads the model as a request wants it.
    ``probe_timeout_s`` is how long a page of the engine may take before it is asked for once more, with four
    times the patience; ``trial_timeout_s`` bounds the first request, which may load the model.
    ``allow_cache`` lets requests use the prompt cache, which is kept out otherwise where one can ask for it.
    """

    url: str
    model: str | None = None
    api_key_env: str | None = None
    n_ctx: int | None = None
    probe_timeout_s: float = 5.0
    trial_timeout_s: float = 600.0
    allow_cache: bool = False


class UrlEngine:
    """Ollama, or an OpenAI-compatible server, as an `Engine`.

    The constructor raises `InputError` for an address or a key variable that cannot be used; `start` for a
    server that is not there, has not the model, or does not answer one small request.
    """

    def __init__(self, options: UrlOptions, *, progress: Progress = silent) -> None:
        self._options, self._progress = options, progress
        self._url: BaseUrl = parse_base_url(options.url)
        self._headers = _headers(options.api_key_env)
        self._seen: _Seen | None = None

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go; only after `start`."""
        return self._require_seen().endpoint

    async def start(self) -> None:
        """Find the API, the model and the engine's kind, and ask once for a few tokens."""
        try:
            await self._look()
        except InputError as error:
            conceal = self._endpoint_at("").conceal
            raise InputError(conceal(error.what), why=conceal(error.why), fix=conceal(error.fix)) from None

    async def _look(self) -> None:
        url = self._url
        self._progress(f"Looking at the engine at {url.text}", None)
        timeout_s = self._options.probe_timeout_s
        async with Prober(self._endpoint_at(""), timeout_s=timeout_s, again_s=4 * timeout_s) as prober:
            offer = await find_api(prober, url, has_key=bool(self._headers))
            model, listed = offer.choose(self._options.model)
            identity = await identify(prober, Route(offer.api_path, model, UNKNOWN).root, model, listed)
        identity = self._with_wanted_context(identity)
        place = await asyncio.to_thread(locate, url.host, url.port)
        if identity.remote:
            place = Place(False, None, {"pid": str(Reason.NOT_LOCAL)})
        digest = identity.model_digest
        if digest is None and (file := _model_file(identity, place)) is not None:
            self._progress(f"Computing the digest of {file.name}", None)
            digest = await asyncio.to_thread(_digest_of, file)
        self._progress(f"Asking {model} for a few tokens", None)
        route = await try_out(
            self._endpoint_at(""),
            Route(offer.api_path, model, identity, allow_cache=self._options.allow_cache),
            where=url.text,
            timeout_s=self._options.trial_timeout_s,
        )
        async with Prober(self._endpoint_at(""), timeout_s=timeout_s, again_s=4 * timeout_s) as prober:
            loaded = await look_again(prober, route.root, model, identity)
        route = replace(route, identity=loaded)
        self._seen = _Seen(self._endpoint_at(route.path), route, place, digest)

    async def stop(self) -> None:
        """Leave the engine alone: it was not started here."""

    def pid(self) -> int | None:
        """Return the process id of the listener, null when it is not known or not on this machine."""
        return self._seen.place.pid if self._seen else None

    @property
    def log_path(self) -> None:
        """An engine that we did not start keeps its own log."""
        return None

    def died(self) -> bool:
        """Tell whether the listener's process was known and is gone."""
        pid = self.pid()
        if pid is None:
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    @property
    def request_body(self) -> RequestWriter:
        """How requests are written: the server's dialect, prompt caching off where that can be asked for."""
        return self._require_seen().route.writer

    def describe(self) -> manifest.Engine:
        """Return the manifest's entry, without any folder of this machine; only after `start`."""
        from joulemark.record import manifest

        seen = self._require_seen()
        route, place = seen.route, seen.place
        identity = route.identity
        why = Reason.ENGINE_UNKNOWN if identity.kind.endswith(UNKNOWN.kind) else Reason.NOT_REPORTED
        known = {
            "version": identity.version,
            "model_digest": seen.digest,
            "quantization": identity.quantization,
            "prefix_cache": route.prefix_cache,
        }
        flags = {
            name: published_name(value) if isinstance(value, str) else value
            for name, value in identity.flags.items()
            if value is not None
        }
        entry = manifest.Engine(
            kind=identity.kind,
            version=identity.version,
            model=published_name(route.model),
            model_digest=seen.digest,
            quantization=identity.quantization,
            flags={**flags, **route.flags},
            prefix_cache=route.prefix_cache,
            pid=place.pid,
            local=place.local,
            reasons={**{name: str(why) for name, value in known.items() if value is None}, **place.reasons},
        )
        # The record is for passing on, and some servers echo what they were sent.
        return manifest.Engine.model_validate(_concealed(entry.model_dump(), seen.endpoint.conceal))

    def _with_wanted_context(self, identity: Identity) -> Identity:
        """Return ``identity`` with the user's context. Raises `InputError` where none can be asked for."""
        n_ctx = self._options.n_ctx
        if n_ctx is None:
            return identity
        if identity.native is None:
            raise InputError(
                f"The context of the engine at {self._url.text} cannot be asked for",
                why=f"it is {identity.kind}, which fixes its context when it starts",
                fix="leave --n-ctx out, and set it where that engine is started",
            )
        return replace(identity, native=replace(identity.native, n_ctx=n_ctx))

    def _endpoint_at(self, path: str) -> Endpoint:
        url = self._url
        return Endpoint(url.scheme, url.host, url.port, path or "/", self._headers)

    def _require_seen(self) -> _Seen:
        if self._seen is None:
            raise RuntimeError("the engine has not been looked at: call start first")
        return self._seen


@dataclass(frozen=True, slots=True)
class _Seen:
    endpoint: Endpoint
    route: Route
    place: Place
    digest: str | None


def _headers(api_key_env: str | None) -> dict[str, str]:
    if api_key_env is None:
        return {}
    key = os.environ.get(api_key_env, "").strip()
    if not key:
        raise InputError(
            f"The variable {api_key_env} holds no API key",
            why="it is empty" if api_key_env in os.environ else "it is not set",
            fix=f"export {api_key_env}=…",
        )
    return {"Authorization": f"Bearer {key}"}


def _concealed(told: Any, conceal: Callable[[str], str]) -> Any:
    if isinstance(told, dict):
        return {name: _concealed(value, conceal) for name, value in told.items()}
    return conceal(told) if isinstance(told, str) else told


def _model_file(identity: Identity, place: Place) -> Path | None:
    """Return the GGUF file that a local engine names, as that engine's process sees it."""
    named = identity.model_path
    if place.pid is None or named is None or not named.endswith(".gguf") or _PART.search(named):
        return None
    view = "root" if named.startswith("/") else "cwd"
    return Path(f"/proc/{place.pid}/{view}/{named.lstrip('/')}")


def _digest_of(file: Path) -> str | None:
    try:
        return f"sha256:{remembered_sha256(file)}"
    except InputError:  # not ours to read, or not where the engine says
        return None
