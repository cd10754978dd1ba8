"""How many tokens an engine makes of a word: asked of the engine itself, which has the tokenizer."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.engines.ask import RetryPolicy, ask
from joulemark.engines.client import StreamClient
from joulemark.engines.engine import Engine
from joulemark.load.words import text_of
from joulemark.record.errors import InputError

_FEW_WORDS, _MANY_WORDS = 32, 224
_TIMEOUT_S = 600.0
# What a tokenizer can make of a short common word; outside it something else was counted.
_LEAST, _MOST = 0.2, 8.0


@dataclass(frozen=True, slots=True)
class TokenRate:
    """Tokens of a prompt of ``text_of`` words: ``overhead_tokens`` (the chat template's) and so many a word.

    ``observed`` tells whether the engine said so.
    """

    per_word: float = 1.0
    overhead_tokens: float = 0.0
    observed: bool = False

    def words(self, tokens: int, *, overhead: bool = True) -> int:
        """Return how many words make up ``tokens`` tokens, at least 1; the template's among them or not."""
        net = tokens - (self.overhead_tokens if overhead else 0.0)
        return max(1, round(net / self.per_word))


async def token_rate(engine: Engine) -> TokenRate:
    """Ask ``engine`` twice, for one token each, and see how many tokens it counts in either prompt.

    An engine that counts none leaves the rate unobserved: one token a word. Raises `InputError` where the
    engine does not answer.
    """
    async with StreamClient(
        engine.endpoint, stall_timeout_s=_TIMEOUT_S, total_timeout_s=_TIMEOUT_S
    ) as client:
        counts = [await _prompt_tokens(engine, client, n_words) for n_words in (_FEW_WORDS, _MANY_WORDS)]
    few, many = counts
    if few is None or many is None:
        return TokenRate()
    per_word = (many - few) / (_MANY_WORDS - _FEW_WORDS)
    if not _LEAST <= per_word <= _MOST:
        return TokenRate()
    return TokenRate(per_word, max(0.0, few - per_word * _FEW_WORDS), observed=True)


async def _prompt_tokens(engine: Engine, client: StreamClient, n_words: int) -> int | None:
    message = ("user", text_of(f"calibration {n_words}", n_words))
    asked = await ask(client, engine.request_body([message], max_tokens=1), RetryPolicy(retries=2))
    if asked.reply.error is not None:
        raise InputError(
            "the engine did not answer a request that finds out how it counts tokens",
            why="; ".join(asked.sentences) or asked.reply.error.message,
            fix="try the engine by hand with the same model name",
        )
    return asked.reply.usage.prompt if asked.reply.usage else None
