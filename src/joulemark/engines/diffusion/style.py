"""How a batch of pictures or videos is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from joulemark.record.content import Message, pictures, words


@dataclass(frozen=True, slots=True)
class MediaStyle:
    """Writes a request for one batch: each message is a prompt, with the picture to begin from where one is.

    What chat models are told beside the words (budget, temperature) means nothing here and is not sent.
    """

    steps: int
    height: int
    width: int
    frames: int | None = None

    @property
    def takes_exact_length(self) -> bool:
        """There are no tokens whose number could be asked for."""
        return False

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
        exact_length: bool = False,
    ) -> bytes:
        """Return the JSON of a request; ``seed`` null lets the server draw one."""
        body: dict[str, object] = {
            "prompts": [words(content) for _, content in messages],
            "n": 1,
            "steps": self.steps,
            "height": self.height,
            "width": self.width,
        }
        if self.frames is not None:
            body["num_frames"] = self.frames
        if seed is not None:
            body["seed"] = seed
        shown = [picture.base64 for _, content in messages for picture in pictures(content)]
        if shown:
            body["images"] = shown
        return orjson.dumps(body)
