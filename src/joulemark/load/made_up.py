"""Requests made up to load an engine: prompts and answers of given lengths, without a right answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from joulemark.load.lengths import RequestLengths
from joulemark.load.token_rate import TokenRate
from joulemark.load.words import text_of
from joulemark.record.identity import config_hash
from joulemark.tasks.scorers import UNGRADED, UngradedScorer
from joulemark.tasks.task import Question, TaskSet

BLOCK_TOKENS = 512
_WARM_UP = RequestLengths(64, 8)
_VERSION = 1  # of how text is made: another one asks something else


@dataclass(frozen=True, slots=True)
class Prompt(Sequence[tuple[str, str]]):
    """The one message of a made-up request, written when it is asked for: a long trace would fill the memory.

    ``blocks`` are (key, words) pairs whose texts follow one another.
    """

    blocks: tuple[tuple[str, int], ...]

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[str, str]]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, str] | Sequence[tuple[str, str]]:
        return (("user", self.text()),)[index]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        yield ("user", self.text())

    def __len__(self) -> int:
        return 1

    def text(self) -> str:
        """Return the whole prompt."""
        return " ".join(text_of(key, n_words) for key, n_words in self.blocks)


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A task of made-up requests, before the engine's way of counting tokens is known.

    ``source`` says where the lengths are from, ``seed`` makes other words of the same lengths: the task's
    source says both. Name and source tell other requests from more or fewer of the same.
    """

    name: str
    source: str
    requests: tuple[RequestLengths, ...]
    seed: int = 0

    def task_set(self, rate: TokenRate) -> TaskSet:
        """Return the task; its prompts have the wanted tokens as far as whole words can tell.

        Blocks with equal names are the same text, and those before the last of a prompt are whole, so that
        what prompts had in common they have in common again.
        """
        questions = tuple(
            self._question(number, lengths, rate) for number, lengths in enumerate(self.requests)
        )
        return TaskSet(
            name=self.name,
            revision=config_hash(
                {
                    "version": _VERSION,
                    "seed": self.seed,
                    "wishes": [  # as it was first called: another word is another revision
                        [lengths.prompt_tokens, lengths.output_tokens, *lengths.blocks]
                        for lengths in self.requests
                    ],
                }
            ),
            split="all",
            n_shot=0,
            template=f"made-up words, version {_VERSION}",
            questions=questions,
            scorer=UngradedScorer(),
            max_tokens=max(lengths.output_tokens for lengths in self.requests),
            source=f"{self.source}, seed {self.seed}",
            notes=() if rate.observed else (_UNOBSERVED,),
            # not one of them: the engine would have it in its prompt cache
            warm_up=self._asked(
                "warm-up", Prompt(((f"{self.seed} warm-up", _WARM_UP.prompt_tokens),)), _WARM_UP
            ),
        )

    def _question(self, number: int, lengths: RequestLengths, rate: TokenRate) -> Question:
        return self._asked(str(number), Prompt(self._blocks(number, lengths, rate)), lengths)

    def _asked(self, name: str, prompt: Prompt, lengths: RequestLengths) -> Question:
        n_words = sum(words for _, words in prompt.blocks)
        return Question(
            item_id=f"{self.name}-{name}",
            messages=prompt,
            gold=None,
            kind=UNGRADED,
            max_tokens=lengths.output_tokens,
            exact_length=True,
            words_only=True,
            shown=f"user: [{n_words} made-up words for {lengths.prompt_tokens} tokens, seed {self.seed}]",
        )

    def _blocks(self, number: int, lengths: RequestLengths, rate: TokenRate) -> tuple[tuple[str, int], ...]:
        if not lengths.blocks:
            return ((f"{self.seed} request {number}", rate.words(lengths.prompt_tokens)),)
        whole = rate.words(BLOCK_TOKENS, overhead=False)
        n_words = rate.words(lengths.prompt_tokens)
        blocks = []
        for place, name in enumerate(lengths.blocks, start=1):
            # what the last block lacks of 512 tokens, or has beyond them, is its own
            taken = min(whole, n_words) if place < len(lengths.blocks) else n_words
            if taken > 0:
                blocks.append((f"{self.seed} block {name}", taken))
            n_words -= taken
        return tuple(blocks)


_UNOBSERVED = (
    "the engine does not count the tokens of a prompt, so prompts have one word for each token wanted"
)
