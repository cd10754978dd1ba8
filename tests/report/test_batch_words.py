"""What each batch of pictures or videos was, from the record alone."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.run_view import RunView
from joulemark.record.manifest import Engine
from joulemark.report.batch_words import batch_words
from joulemark.report.html import render
from joulemark.report.terminal import print_summary

IMAGE = {"media": "image", "max_batch": 4, "denoising_steps": 30, "height": 64, "width": 128}


def of_media(**flags: str | int | None) -> RunView:
    view = run_views.without_meter()
    engine = Engine(kind="diffusers", model="tiny", flags=dict(flags), local=True)
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update={"engine": engine}))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (IMAGE, "Each batch: 4 images of 128 × 64 pixels, in 30 steps."),
        (
            {**IMAGE, "media": "video", "max_batch": 1, "frames": 49},
            "Each batch: 1 video of 128 × 64 pixels, 49 frames, in 30 steps.",
        ),
        ({"media": "image"}, "Each batch: image."),
        ({**IMAGE, "media": "words"}, ""),
    ],
)
def test_a_batch_in_words(flags: dict[str, str | int | None], said: str) -> None:
    assert batch_words(of_media(**flags)) == said


def test_terminal_and_page_say_it() -> None:
    view = of_media(**IMAGE)
    summary, out = summarize(view), io.StringIO()
    print_summary(summary, Console(file=out, width=100, legacy_windows=False), view)
    assert batch_words(view) in out.getvalue()
    assert batch_words(view) in render(summary, view)


def test_a_run_of_words_has_none() -> None:
    assert batch_words(run_views.with_counter()) == ""
