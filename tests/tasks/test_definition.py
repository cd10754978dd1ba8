"""A task of the user's own, from one file; and what a file may not say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import joulemark.tasks
from joulemark.record.errors import InputError
from joulemark.tasks.definition import BASES, parse_definition
from joulemark.tasks.registry import built_in_tasks, definition_text, load_task

DEFINITIONS = Path(joulemark.tasks.__file__).parent / "definitions"
OWN = """
name = "rivers"
title = "which sea a river ends in"
kinds = ["choice"]

[data]
file = "rivers.jsonl"
row = '{"river": "…", "seas": ["…", "…"], "sea": "…"}'

[items]
question = "Where does the {{ river }} end?"
options = "seas"
gold = "seas.index(sea)"
shuffle_options = true

[prompt]
system = "You know your rivers."
user = "{{ question }}\\n{{ option_lines }}"

[presets.short]
max_tokens = 5
temperature = 0.3
"""
RIVERS = [
    {"river": "Rhine", "seas": ["the North Sea", "the Black Sea"], "sea": "the North Sea"},
    {"river": "Danube", "seas": ["the North Sea", "the Black Sea"], "sea": "the Black Sea"},
    {"river": "Po", "seas": ["the Adriatic", "the Baltic"], "sea": "the Adriatic"},
]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "rivers.jsonl").write_text("\n".join(map(json.dumps, RIVERS)), encoding="utf-8")
    path = tmp_path / "rivers.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_one_file_makes_a_task(own: Path) -> None:
    task = load_task(str(own))
    assert (task.name, len(task.questions), task.preset) == ("rivers", 3, "default")
    for question in task.questions:
        system, user = question.messages
        assert system == ("system", "You know your rivers.")
        right = dict(question.options)[question.gold or ""]
        assert f"{question.gold}) {right}" in user[1]
        score = task.scorer.score(question, right, finish_reason="stop", refusal=False)
        assert score.correct
    assert definition_text(str(own)) == OWN


def test_a_preset_sets_what_it_names(own: Path) -> None:
    task = load_task(str(own), preset="short")
    assert (task.max_tokens, task.temperature, task.top_p, task.preset) == (5, 0.3, None, "short")
    with pytest.raises(InputError, match="there are default, short"):
        load_task(str(own), preset="long")


def test_a_budget_of_an_item_is_an_expression_or_a_plain_number(own: Path) -> None:
    for given in ("4", '"2 * 2"'):
        own.write_text(OWN.replace("shuffle_options = true", f"max_tokens = {given}"), encoding="utf-8")
        assert {question.max_tokens for question in load_task(str(own)).questions} == {4}
    own.write_text(OWN.replace("shuffle_options = true", "max_tokens = 0"), encoding="utf-8")
    with pytest.raises(InputError, match="token budget is 0"):
        load_task(str(own))


def test_items_keep_their_ids_wherever_they_are_read_from(own: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "more" / "test.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps([*reversed(RIVERS), RIVERS[0]]), encoding="utf-8")
    here = load_task(str(own))
    there = load_task(str(own), data=elsewhere)
    ids = {question.item_id for question in here.questions}
    assert ids < {question.item_id for question in there.questions}
    assert len({question.item_id for question in there.questions}) == 4  # the same item twice is two items
    assert here.revision != there.revision


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('name = "rivers"', 'name = "gsm8k"', "known already"),
        ('name = "rivers"', 'name = "../rivers"', "pattern"),
        ('kinds = ["choice"]', "kinds = []", "kinds"),
        ('kinds = ["choice"]', 'kinds = ["choice", "rouge_l"]', "cannot be in one task"),
        ('kinds = ["choice"]', 'kinds = ["essay"]', "there are no questions of kind 'essay'"),
        ("[items]", "[item]", "items: Field required"),
        ("{{ river }}", "{{ river ", "no Jinja"),
        ("{{ river }}", "{{ stream }}", 'items.question wants "stream", which is missing'),
        ("{{ river }}", "{{ seas }}", "a text was wanted"),
        ('"seas.index(sea)"', '"sea"', "none of the options"),
        ('"seas.index(sea)"', '"7"', "none of the options"),
        ('options = "seas"', 'options = "[river]"', "2 to 26 options"),
        ('title = "which', "title = which", "no TOML"),
        ('kinds = ["choice"]', 'base = "essays"\nkinds = ["choice"]', "names the base"),
        # what only the program may say, and what would be another question every time
        ('title = "which', 'built_in = true\ntitle = "which', "not for a file to say"),
        ('"rivers.jsonl"', '"../rivers.jsonl"', "not beside its definition"),
        ("{{ river }}", "{{ range(9) | random }}", "no Jinja"),
        ("{{ river }}", "{{ lipsum() }}", "missing|undefined"),
        # the language of definitions reaches nothing but the row
        ("{{ river }}", "{{ river.__class__.__mro__ }}", "items.question fails on it"),
        ("{{ river }}", "{{ range(10 ** 9) | length }}", "items.question fails on it"),
    ],
)
def test_what_cannot_be_is_told_in_words(own: Path, old: str, new: str, why: str) -> None:
    assert old in OWN
    own.write_text(OWN.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=why) as error:
        load_task(str(own))
    assert error.value.fix


def test_a_row_is_data_and_never_a_program(own: Path, tmp_path: Path) -> None:
    hostile = {**RIVERS[0], "river": "{{ 7 * 7 }}{% for x in range(10) %}"}
    (tmp_path / "rivers.jsonl").write_text(json.dumps(hostile), encoding="utf-8")
    (question,) = load_task(str(own)).questions
    assert "{{ 7 * 7 }}{% for x in range(10) %}" in question.messages[-1][1]


def test_every_built_in_definition_is_sound() -> None:
    for name, definition in built_in_tasks().items():
        assert definition.name == name
        assert definition.title
        assert definition.licence
        assert parse_definition(definition_text(name), name).name == name
    assert {"gsm8k", "mmlu", "ifeval", "bbh", "humaneval", "opinionqa", "math500"} <= built_in_tasks().keys()
    assert set(BASES) == {p.stem for p in (DEFINITIONS / "bases").glob("*.toml")}


def test_the_published_presets_are_the_published_ones() -> None:
    tasks = built_in_tasks()
    for name in ("gsm8k", "gsm8k_platinum", "mmlu", "mmlu_redux", "arc_challenge"):
        assert tasks[name].preset("published").n_shot == 5
    for name in ("gsm8k", "mmlu", "arc_challenge", "hellaswag", "winogrande", "truthfulqa", "opinionqa"):
        preset = tasks[name].preset("frugal-paper")
        assert (preset.temperature, preset.top_p) == (0.7, 0.95)
