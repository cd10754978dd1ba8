"""A workload by example: files of counts or texts, pasted prompts, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.bundles.like import example_of
from joulemark.record.errors import InputError


def file(folder: Path, text: str, name: str = "sample.jsonl") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def lines(*objects: object) -> str:
    return "\n".join(map(json.dumps, objects)) + "\n\n"


def test_counts_by_either_name(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        lines(
            {"prompt_tokens": 10, "completion_tokens": 5},
            {"input_tokens": 20, "output_tokens": 6},
            {"id": "x", "usage": {"prompt_tokens": 30, "completion_tokens": 7}},
        ),
    )
    found = example_of(path)
    assert found.counts == ((10, 5), (20, 6), (30, 7))
    assert found.texts == ()
    assert "3 requests" in found.told


def test_texts_and_messages(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        json.dumps(
            [
                {"prompt": "abc", "answer": "de"},
                {"messages": [{"role": "system", "content": "xy"}, {"role": "user", "content": "z"}]},
                {"question": "abcd", "response": "efghi"},
            ]
        ),
        "sample.json",
    )
    assert example_of(path).texts == ((3, 2), (3, None), (4, 5))


def test_anything_else_is_one_prompt(tmp_path: Path) -> None:
    found = example_of(file(tmp_path, "Write a poem\nabout joules.\n", "paste.txt"))
    assert found.texts == ((26, None),)
    assert "pasted" in found.told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ('{"prompt_tokens": 1}\n{broken', "line 2 is no JSON"),
        ('{"prompt_tokens": -1, "completion_tokens": 2}', "has -1 for a number of tokens"),
        ('{"prompt_tokens": 1.5}', "has 1.5 for a number of tokens"),
        ('{"prompt_tokens": true}', "has True for a number of tokens"),
        ('{"prompt_tokens": 1e99}', "for a number of tokens"),
        ('{"a": 1}', "entry 1 holds neither"),
        ("[1, 2]", "entry 1 is no object"),
        ("[]", "holds no request"),
        ("[", "is no JSON"),
        ('{"prompt_tokens": 1, "completion_tokens": 2}\n{"prompt": "x", "answer": "y"}', "mixes two kinds"),
    ],
)
def test_what_says_no_lengths_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        example_of(file(tmp_path, text))
    assert said in str(error.value)


def test_no_text_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="is no text"):
        example_of(path)
    with pytest.raises(InputError, match="cannot be read"):
        example_of(tmp_path / "absent")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "x.txt"
    path.write_text(text, "utf-8", errors="replace")
    try:
        found = example_of(path)
    except InputError:
        return
    assert bool(found.counts) != bool(found.texts)
