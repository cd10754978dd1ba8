"""By which of its endpoints an engine is asked, and how the requests are written there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from joulemark.engines.dialect import Dialect
from joulemark.engines.exchange import Exchange
from joulemark.engines.kinds import Identity
from joulemark.engines.kinds.identity import Flag, Native
from joulemark.engines.ollama_style import OllamaStyle
from joulemark.engines.probe import error_message
from joulemark.engines.request_style import RequestStyle, RequestWriter

_REFUSED = (400, 422)
_NO_SUCH_PAGE = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class Route:
    """The way to one model of one engine.

    ``api_path`` is where OpenAI's API begins (``/v1``). ``try_native``: the engine's own chat endpoint is
    asked instead, where it has one. ``salted``: each request gets a salt, where the engine takes one.
    ``allow_cache``: requests may find what others left in the prompt cache, as users' requests do.
    """

    api_path: str
    model: str
    identity: Identity
    dialect: Dialect = field(default_factory=Dialect)
    try_native: bool = True
    salted: bool = True
    allow_cache: bool = False

    @property
    def root(self) -> str:
        """The path below which the engine's own endpoints lie: the API's without ``/v1``."""
        return self.api_path.removesuffix("/v1")

    @property
    def native(self) -> Native | None:
        """The engine's own chat endpoint; null where OpenAI's is asked."""
        return self.identity.native if self.try_native else None

    @property
    def is_salted(self) -> bool:
        """Whether each request carries a salt of its own."""
        taken = self.identity.salt_field is not None and self.native is None
        return taken and self.salted and not self.allow_cache

    @property
    def path(self) -> str:
        """Where requests go."""
        if self.native is not None:
            return f"{self.root}{self.native.path}"
        return f"{self.api_path}/chat/completions"

    @property
    def writer(self) -> RequestWriter:
        """What writes the requests, prompt caching off where that can be asked for."""
        if self.native is not None:
            return OllamaStyle(self.model, self.native.n_ctx)
        salt_field = self.identity.salt_field if self.is_salted else None
        identity = self.identity
        return RequestStyle(
            self.model,
            self.dialect,
            identity.cached_body if self.allow_cache else identity.extra_body,
            salt_field,
            exact_fields=identity.exact_fields,
        )

    @property
    def prefix_cache(self) -> bool | None:
        """The state of the prompt cache that requests by this route meet; null where it is not known."""
        if self.allow_cache and self.identity.cache_unsalted is not None:
            return self.identity.cache_unsalted
        unsalted = self.identity.salt_field is not None and not self.is_salted
        return self.identity.cache_unsalted if unsalted else self.identity.prefix_cache

    @property
    def flags(self) -> dict[str, Flag]:
        """What the requests ask for beside sampling, for the identity of a run."""
        flags: dict[str, Flag] = {}
        if self.identity.native is not None:
            flags["api"] = "openai" if self.native is None else self.identity.kind
        if self.native is not None:
            return {**flags, "n_ctx_asked": self.native.n_ctx, "truncate": False}
        if self.allow_cache:
            flags["allow_cache"] = True
            flags |= {
                name: v for name, v in self.identity.cached_body.items() if isinstance(v, bool | str | int)
            }
        elif self.identity.salt_field is not None:
            flags[self.identity.salt_field] = "one a request" if self.is_salted else "refused"
        return {**flags, "stream_usage": self.dialect.include_usage, "seed_accepted": self.dialect.seed}

    def after(self, exchange: Exchange) -> Route | None:
        """Return the route to try after one that was refused; null when nothing can be done about it."""
        if self.native is not None:
            # Ollama answers 404 for a model that it has not, too, and names it.
            missing = exchange.status in _NO_SUCH_PAGE and "model" not in error_message(exchange)
            return replace(self, try_native=False) if missing else None
        if exchange.status not in _REFUSED:
            return None
        refusal = exchange.body.decode("utf-8", errors="replace")
        if self.is_salted and self.identity.salt_field and self.identity.salt_field in refusal:
            return replace(self, salted=False)
        dialect = self.dialect.adjusted(refusal)
        return None if dialect is None else replace(self, dialect=dialect)
