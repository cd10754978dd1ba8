"""``joulemark media``: what its options come to."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from doubles.user import joulemark
from joulemark.cli.media import media
from joulemark.cli.media_job import measure_media, media_jobs
from joulemark.record.errors import InputError


def jobs(*arguments: str) -> Any:
    options = dict(media.make_context("media", ["someone/tiny", *arguments]).params)
    return media_jobs(options.pop("pipeline"), options)


def job(*arguments: str) -> Any:
    (only,) = jobs(*arguments)
    return only


def prompts(tmp_path: Path) -> str:
    path = tmp_path / "prompts.txt"
    path.write_text("a cat\na dog\n")
    return str(path)


def test_a_batch_is_asked_for_as_often_as_said(tmp_path: Path) -> None:
    made = job(
        "--kind", "text-to-video", "--batch", "2", "--size", "64x32", "--frames", "9",
        "--batches", "3", "--prompts", prompts(tmp_path),
    )  # fmt: skip
    assert (made.made.width, made.made.height, made.made.frames, made.made.medium) == (64, 32, 9, "video")
    assert [len(question.messages) for question in made.task_set(several=False).questions] == [2, 2, 2]
    assert made.shape.mode == "sequential"
    assert not made.standing.may_rank


@pytest.mark.parametrize("size", ["64", "64x", "0x64", "64x64x64", "axb"])
def test_a_size_is_two_numbers(size: str) -> None:
    with pytest.raises(Exception, match="WIDTHxHEIGHT"):
        job("--kind", "text-to-image", "--size", size)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs --frames"):
        job("--kind", "text-to-video")
    with pytest.raises(InputError, match="takes no --frames"):
        job("--kind", "text-to-image", "--frames", "3")
    both = job("--kind", "text-to-image", "--prompts", prompts(tmp_path), "--data", str(tmp_path))
    with pytest.raises(InputError, match="both say"):
        both.task_set(several=False)
    words = job("--kind", "image-to-video", "--frames", "3", "--prompts", prompts(tmp_path))
    with pytest.raises(InputError, match="needs a picture"):
        words.task_set(several=False)


def test_a_missing_library_is_told_with_the_command_that_installs_it(tmp_path: Path) -> None:
    try:
        import diffusers  # noqa: F401
    except ModuleNotFoundError:
        done = joulemark(
            "media", "someone/tiny", "--kind", "text-to-image", "--prompts", prompts(tmp_path),
            "--meter", "none", "--out", str(tmp_path / "run"),
        )  # fmt: skip
        assert done.code == 2
        assert "joulemark[diffusion]" in done.err
        assert not (tmp_path / "run").exists()


def test_several_values_are_measured_in_all_their_combinations(tmp_path: Path) -> None:
    swept = jobs(
        "--kind", "text-to-image", "--batch", "1,4", "--steps", "10, 30", "--size", "64x64,32x64,64x64",
        "--save", str(tmp_path / "made"), "--prompts", prompts(tmp_path),
    )  # fmt: skip
    found = [(one.made.width, one.made.steps, one.made.batch) for one in swept]
    assert found == [
        (64, 10, 1), (64, 10, 4), (64, 30, 1), (64, 30, 4),
        (32, 10, 1), (32, 10, 4), (32, 30, 1), (32, 30, 4),
    ]  # fmt: skip
    assert len({one.name for one in swept}) == len({one.made.save_to for one in swept}) == 8
    assert {one.task_set(several=True).name for one in swept} == {"text-to-image"}


@pytest.mark.parametrize("wrong", ["0", "1,", "-1", "1.5", "a", "10001", "²"])
def test_a_count_is_a_whole_number(wrong: str) -> None:
    with pytest.raises(Exception, match="whole numbers"):
        jobs("--kind", "text-to-image", "--batch", wrong)


def test_what_is_no_pipeline_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    for wrong, said in (
        (str(tmp_path / "nowhere"), "there is no folder"),
        ("sd-turbo", "there is no folder sd-turbo"),
        (str(tmp_path), "holds no pipeline"),
        (prompts(tmp_path), "is a file"),
    ):
        with pytest.raises(InputError, match=said) as refused:
            measure_media(wrong, dict(media.make_context("media", ["x/y", "--kind", "text-to-image"]).params))
        assert "OWNER/NAME" in refused.value.fix


@pytest.mark.skipif(find_spec("diffusers") is not None, reason="the libraries are installed here")
def test_a_missing_library_is_told_in_one_sentence_before_prompts_are_read() -> None:
    with pytest.raises(InputError, match="diffusers") as refused:
        # no --prompts: these would come from the hub
        measure_media(
            "someone/tiny", dict(media.make_context("media", ["x/y", "--kind", "text-to-image"]).params)
        )
    assert "joulemark[diffusion]" in refused.value.fix
    assert "Traceback" not in str(refused.value)
