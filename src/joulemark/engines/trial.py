"""One small request before a run: it loads the model, and finds out how the engine wants to be asked."""

from __future__ import annotations

from joulemark.engines.ask import read_reply
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.engines.model_list import key_error
from joulemark.engines.probe import Prober, error_message
from joulemark.engines.route import Route
from joulemark.record.errors import InputError

# Some reasoning models refuse a limit that leaves no room for an answer.
_TRIAL_TOKENS = 16
_HANGING_UP = ("cut", "reset")


async def try_out(endpoint: Endpoint, route: Route, *, where: str, timeout_s: float) -> Route:
    """Ask once for a few tokens, leaving out what is refused by name; return the route that was not refused.

    ``endpoint`` says the host and the key, ``where`` names it in messages. Raises `InputError` for an engine
    that refuses or fails whatever is left out.
    """
    hung_up = False
    async with Prober(endpoint, timeout_s=timeout_s) as prober:
        while True:
            body = route.writer([("user", "Say OK.")], max_tokens=_TRIAL_TOKENS, seed=1)
            exchange = await prober.post(route.path, body)
            if exchange.error in _HANGING_UP and exchange.status is None and not hung_up:
                hung_up = True  # one that has only just begun to listen may do so once
                continue
            other = None if exchange.status == 200 else route.after(exchange)
            if other is None:
                break
            route = other
    if exchange.error is not None or exchange.status != 200:
        raise _refused(exchange, f"{endpoint.origin}{route.path}", where, has_key=bool(endpoint.headers))
    reply = read_reply(exchange)
    if reply.error is not None:
        raise InputError(
            f"The engine at {where} fails on a small request",
            why=reply.error.message,
            fix="see the engine's own log",
        )
    return route


def _refused(exchange: Exchange, address: str, where: str, *, has_key: bool) -> InputError:
    message = error_message(exchange)
    if exchange.status in (401, 403):
        return key_error(where, message, has_key=has_key)
    if exchange.status == 404:
        fix = f"check the address: requests go to {address}"
    elif exchange.status == 429 or (exchange.status or 0) >= 500:
        fix = "wait a little and run the same command again"
    else:
        fix = "see the engine's own log"
    status = f" (status {exchange.status})" if exchange.status else ""
    return InputError(f"The engine at {where} refuses a small request{status}", why=message, fix=fix)
