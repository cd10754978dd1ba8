"""What a batch is asked for with, written and read."""

from __future__ import annotations

import base64
import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.engines.diffusion.request import BadRequest, read_request
from joulemark.engines.diffusion.style import MediaStyle
from joulemark.record.content import Illustrated, Picture

PNG = Picture("image/png", b"\x89PNG\r\n\x1a\nxyz")


def body(**fields: object) -> bytes:
    return orjson.dumps({"prompts": ["a"], "steps": 2, **fields})


def test_what_is_written_is_what_is_read() -> None:
    style = MediaStyle(steps=4, height=32, width=48, frames=5)
    messages = [("user", Illustrated("pan", (PNG,))), ("user", Illustrated("zoom", (PNG,)))]
    read = read_request(style(messages, max_tokens=9, temperature=1.0, seed=7))
    assert read.prompts == ("pan", "zoom")
    assert (read.steps, read.height, read.width, read.num_frames, read.seed) == (4, 32, 48, 5, 7)
    assert read.images == (PNG.data, PNG.data)


def test_a_request_holds_what_a_pipeline_is_told_and_nothing_else() -> None:
    written = orjson.loads(MediaStyle(steps=4, height=32, width=48)([("user", "a")], max_tokens=9))
    assert written == {"prompts": ["a"], "n": 1, "steps": 4, "height": 32, "width": 48}


def test_n_of_each_prompt() -> None:
    read = read_request(orjson.dumps({"prompt": "a", "n": 3, "steps": 1}))
    assert read.prompts == ("a", "a", "a")
    shown = f"data:image/png;base64,{base64.b64encode(b'x').decode()}"
    assert read_request(body(prompts=["a", "b"], n=2, image=shown)).images == (b"x",) * 4


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (body(prompts=[]), "no list of texts"),
        (body(prompts=[1]), "no list of texts"),
        (body(prompt="b"), "not both"),
        (body(steps=0), "steps is no whole number"),
        (body(steps=True), "steps is no whole number"),
        (orjson.dumps({"prompt": "a"}), "steps is missing"),
        (body(guidance=3), "guidance is not known"),
        (body(seed=-1), "seed is no"),
        (body(image="?"), "not base64"),
        (body(prompts=["a", "b", "c"], images=["eA==", "eA=="]), "2 images for 3 prompts"),
    ],
)
def test_what_cannot_be_is_refused(asked: bytes, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        read_request(asked)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)


def written(value: object) -> bytes:
    return json.dumps({"prompts": value, "steps": value, "images": value}).encode()


@settings(deadline=None)
@given(st.binary(max_size=60) | JSON.map(written))
def test_any_bytes_are_read_or_refused(asked: bytes) -> None:
    try:
        read = read_request(asked)
    except BadRequest:
        return
    assert read.prompts
