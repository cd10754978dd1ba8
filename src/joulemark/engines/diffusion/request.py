"""One batch as the server is asked for it, read from the JSON of a request."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any

import orjson

_LARGEST = {"n": 1024, "steps": 10_000, "height": 16_384, "width": 16_384, "num_frames": 10_000}
_KNOWN = {*_LARGEST, "prompt", "prompts", "seed", "image", "images"}


class BadRequest(Exception):
    """A request that cannot be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class MediaRequest:
    """A batch: one picture or video for each of ``prompts``.

    ``images`` are the files to begin from, none or one a prompt. ``seed`` null: drawn by the server.
    """

    prompts: tuple[str, ...]
    steps: int
    height: int | None = None
    width: int | None = None
    num_frames: int | None = None
    seed: int | None = None
    images: tuple[bytes, ...] = field(default=(), repr=False)


def read_request(body: bytes) -> MediaRequest:
    """Return the batch that a request asks for: ``n`` of each prompt. Raises `BadRequest`."""
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the request is no JSON ({error})") from error
    if not isinstance(asked, dict):
        raise BadRequest("the request is no JSON object")
    if unknown := sorted(asked.keys() - _KNOWN):
        raise BadRequest(f"{', '.join(unknown)} is not known here")  # what is ignored would be measured wrong
    prompts, n = _prompts(asked), _whole(asked, "n") or 1
    images = [_image(one) for one in _listed(asked, "image", "images")]
    if len(images) == 1:
        images *= len(prompts)
    if images and len(images) != len(prompts):
        raise BadRequest(f"there are {len(images)} images for {len(prompts)} prompts")
    steps = _whole(asked, "steps")
    if steps is None:
        raise BadRequest("steps is missing")
    seed = asked.get("seed")
    if seed is not None and not (type(seed) is int and 0 <= seed < 1 << 63):
        raise BadRequest("seed is no whole number from 0 on")
    return MediaRequest(
        tuple(prompt for prompt in prompts for _ in range(n)),
        steps,
        _whole(asked, "height"),
        _whole(asked, "width"),
        _whole(asked, "num_frames"),
        seed,
        tuple(image for image in images for _ in range(n)),
    )


def _prompts(asked: dict[str, Any]) -> list[str]:
    prompts = _listed(asked, "prompt", "prompts")
    if not prompts or not all(isinstance(prompt, str) for prompt in prompts):
        raise BadRequest("prompts is no list of texts")
    return prompts


def _listed(asked: dict[str, Any], single: str, several: str) -> list[Any]:
    if single in asked and several in asked:
        raise BadRequest(f"give {single} or {several}, not both")
    if single in asked:
        return [asked[single]]
    found = asked.get(several, [])
    if not isinstance(found, list):
        raise BadRequest(f"{several} is no list")
    return found


def _whole(asked: dict[str, Any], name: str) -> int | None:
    value = asked.get(name)
    if value is None:
        return None
    if type(value) is not int or not 1 <= value <= _LARGEST[name]:
        raise BadRequest(f"{name} is no whole number from 1 to {_LARGEST[name]}")
    return value


def _image(text: object) -> bytes:
    if not isinstance(text, str):
        raise BadRequest("an image is no text")
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"an image is not base64 ({error})") from error
