"""Finding the engines that run already: every usual address is asked at once, with little patience."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from joulemark.engines.base_url import BaseUrl, parse_base_url
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.engines.found_engine import FoundEngine, PassedOver, Search
from joulemark.engines.kinds import UNKNOWN, Identity, identify
from joulemark.engines.near import is_near
from joulemark.engines.place import locate
from joulemark.engines.probe import Prober, json_object
from joulemark.engines.usual_addresses import LOOPBACK, Address, usual_addresses
from joulemark.record.errors import InputError

BUDGET_S = 2.3
"""How long a look around may take, in seconds, whatever listens."""

_PAGE_S = 0.6  # a local engine answers its own pages within milliseconds unless it is very busy
_RESOLVE_S = 0.5
_IDENTIFY_S = 1.0
_MAX_MODELS = 500
_MAX_NAME_CHARS = 300


async def look_around(addresses: Sequence[Address] | None = None, *, budget_s: float = BUDGET_S) -> Search:
    """Ask every address in ``addresses`` (null: the usual ones) for an engine; takes ``budget_s`` at most.

    Nothing is generated and nothing loaded: only lists and descriptions are read, without a key. Never raises
    but when cancelled: what does not answer as an engine is passed over.
    """
    addresses = usual_addresses() if addresses is None else addresses
    tasks = {asyncio.create_task(_look_at(address)): address for address in addresses}
    if tasks:
        await asyncio.wait(tasks, timeout=budget_s)
    found: list[FoundEngine] = []
    passed: list[PassedOver] = []
    for task, address in tasks.items():
        if not task.done():
            task.cancel()
            passed.append(PassedOver(address.url, "it takes connections, and does not answer in time"))
        elif (error := task.exception()) is not None:
            passed.append(PassedOver(address.url, str(error)))
        elif isinstance(seen := task.result(), FoundEngine):
            found.append(seen)
        elif seen is not None:
            passed.append(seen)
    await asyncio.gather(*tasks, return_exceptions=True)
    return Search(_once_each(found), tuple(passed), tuple(address.url for address in addresses))


def find_engine(addresses: Sequence[Address] | None = None) -> FoundEngine:
    """Return the one engine that runs. Raises `InputError` for none, for several, and for one that is far.

    An address outside this machine and its private networks is never taken unasked: it may cost money.
    """
    search = asyncio.run(look_around(addresses))
    near = [engine for engine in search.found if engine.near]
    if len(near) == 1:
        return near[0]
    if near:
        raise InputError(
            f"{len(near)} engines run here",
            why="; ".join(f"{engine.title} ({', '.join(engine.models[:3])})" for engine in near),
            fix=f"name one, for instance --engine {near[0].url}",
        )
    if search.found:
        far = search.found[0]
        raise InputError(
            "The only engine that was found is not on this network",
            why=f"{far.named_by or 'the environment'} names {far.url}, where a request may cost money",
            fix=f"if it is meant: --engine {far.url}",
        )
    raise InputError(
        "No engine runs here",
        why=f"nothing answers as one at the {len(search.tried)} usual addresses{_hint(search)}",
        fix="start one (ollama serve, lms server start, llama-server -m MODEL.gguf), or leave --engine out "
        "for the embedded one; `joulemark engine list` says what was tried",
    )


def _hint(search: Search) -> str:
    if not search.passed_over:
        return ""
    first = search.passed_over[0]
    return f"; at {first.url}: {first.why}"


async def _look_at(address: Address) -> FoundEngine | PassedOver | None:
    """Ask one address; null where nobody listens."""
    url = parse_base_url(address.url)
    near = await is_near(url.host, timeout_s=_RESOLVE_S)
    if near is None:
        return PassedOver(address.url, f"the name {url.host!r} could not be resolved in time")
    endpoint = Endpoint(url.scheme, url.host, url.port, "/")
    async with Prober(endpoint, timeout_s=_PAGE_S) as prober:
        exchange, api_path = await _model_list(prober, url)
        if exchange.error is not None:
            gone = exchange.error in ("refused", "dns")
            return None if gone and address.named_by is None else PassedOver(address.url, _why_not(exchange))
        models = _models(exchange)
        names = tuple(models)[:_MAX_MODELS]
        first = names[0] if names else ""
        identity = await _identity(prober, api_path.removesuffix("/v1"), first, models.get(first, {}))
    if not names:
        return PassedOver(address.url, _no_models(exchange, identity))
    listener = await asyncio.to_thread(locate, url.host, url.port)
    return FoundEngine(
        url=address.url,
        kind=identity.kind,
        version=identity.version,
        models=names,
        pid=listener.pid,
        process=None if listener.pid is None else await asyncio.to_thread(_process_name, listener.pid),
        named_by=address.named_by,
        near=near,
    )


async def _identity(prober: Prober, root: str, model: str, listed: dict[str, object]) -> Identity:
    """Return who answers; an engine that hesitates on its other pages is one of unknown kind."""
    try:
        return await asyncio.wait_for(identify(prober, root, model, listed), _IDENTIFY_S)
    except (InputError, TimeoutError):
        return UNKNOWN


async def _model_list(prober: Prober, url: BaseUrl) -> tuple[Exchange, str]:
    for path in url.api_paths:
        exchange = await prober.get(f"{path}/models")
        if exchange.error is not None or _models(exchange):
            break
    return exchange, path


def _models(exchange: Exchange) -> dict[str, dict[str, object]]:
    answer = json_object(exchange)
    entries = answer.get("data") if answer else None
    return {
        entry["id"]: entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and isinstance(entry.get("id"), str)
        and 0 < len(entry["id"]) <= _MAX_NAME_CHARS
    }


def _no_models(exchange: Exchange, identity: Identity) -> str:
    if exchange.status in (401, 403):
        known = "" if identity.kind == UNKNOWN.kind else f" (it answers as {identity.kind})"
        return f"it asks for a key{known}: --engine URL --api-key-env VARIABLE"
    if identity.kind != UNKNOWN.kind:
        return f"it answers as {identity.kind}, and offers no model"
    return "something else answers there: it lists no models"


def _why_not(exchange: Exchange) -> str:
    if exchange.error in ("stall", "timeout"):
        return "it takes connections, and does not answer in time"
    if exchange.error == "too_large":
        return "it answers without end"
    return f"it does not answer as an engine: {exchange.detail or exchange.error}"


def _once_each(found: Sequence[FoundEngine]) -> tuple[FoundEngine, ...]:
    """Return each engine once, though it may listen on several addresses of this machine."""
    kept: dict[tuple[object, ...], FoundEngine] = {}
    for engine in found:
        host = parse_base_url(engine.url).host
        unseen = "here" if host in (*LOOPBACK, "localhost") else engine.url
        who = unseen if engine.pid is None else engine.pid
        kept.setdefault((engine.port, engine.kind, engine.models, who), engine)
    return tuple(kept.values())


def _process_name(pid: int) -> str | None:
    from joulemark.meters.process_tree import read_stat

    stat = read_stat(pid)
    return None if stat is None else stat.name
