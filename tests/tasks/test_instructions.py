"""Each of the 25 instructions: replies that follow it and replies that do not."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.tasks.instructions import KNOWN_IDS, check_known, followed, parse_instructions

Kwargs = dict[str, object]


def follows(instruction_id: str, kwargs: Kwargs, reply: str) -> bool:
    (result,) = followed(parse_instructions(json.dumps([{"id": instruction_id, "kwargs": kwargs}])), reply)
    return result


def at_least(**counts: object) -> Kwargs:
    return {"relation": "at least", **counts}


def less_than(**counts: object) -> Kwargs:
    return {"relation": "less than", **counts}


TWO_PARAGRAPHS: Kwargs = {"num_paragraphs": 2}
FIRST_WORD: Kwargs = {"num_paragraphs": 3, "nth_paragraph": 2, "first_word": "president"}
REPEAT: Kwargs = {"prompt_to_repeat": 'Write a tweet about the "late" friend.'}

# id, arguments, replies that follow, replies that do not.
CASES: list[tuple[str, Kwargs, list[str], list[str]]] = [
    (
        "keywords:existence",
        {"keywords": ["Forest", "riddle"]},
        ["A riddle in the FOREST.", "forests and riddles", "**Forest**—riddle"],
        ["A riddle in the wood.", "forest", "for est riddle"],
    ),
    (
        "keywords:frequency",
        at_least(keyword="war", frequency=2),
        ["War, war.", "“War” and warfare", "war—war"],
        ["war", "", "peace"],
    ),
    ("keywords:frequency", less_than(keyword="war", frequency=2), ["peace", "war"], ["war or WAR"]),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ["rock", "C++"]},
        ["Rocky rocks, rocket.", "C"],
        ["A Rock.", "*rock*", "rock’s end", "hard-rock", "I like C++."],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "q", "let_frequency": 2, "let_relation": "at least"},
        ["Quick quiz"],
        ["Quick", "no"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_frequency": 2, "let_relation": "less than"},
        ["# One", "none"],
        ["## Two"],
    ),
    (
        "length_constraints:number_words",
        at_least(num_words=4),
        ["one two three four", "one—two—three—four", "one\n\n- two\n- three four"],
        ["one two three", "one — two – three", "..."],
    ),
    ("length_constraints:number_words", less_than(num_words=4), ["one, two; 3"], ["one two three four"]),
    (
        "length_constraints:number_sentences",
        at_least(num_sentences=2),
        ["One. Two.", "One! Two?", "“One.” He said it"],
        ["One.", "Dr. No met Mr. Bond e.g. at 3.15 p.m. on a ship", "1. One"],
    ),
    (
        "length_constraints:number_sentences",
        less_than(num_sentences=3),
        ["One. Two.", "1. One.\n2. Two.\n"],
        ["1. One.\n2. Two.\n3. Three."],
    ),
    (
        "length_constraints:number_paragraphs",
        TWO_PARAGRAPHS,
        [
            "One.\n\n***\n\nTwo.",
            "One.\n***\nTwo.\n***",
            "***\nOne. *** Two.",
            "A\n\nB\n***\nC",
            "A ***very bold*** word\n***\nB",
            "A\r\n***\r\nB",
        ],
        [
            "One.\n\nTwo.",
            "One.\n***\n***\nTwo.",
            "One.\n***\nTwo.\n***\nThree.",
            "One.\n******\nTwo.",
            "One.\n***",
            "A ***very bold*** word",
        ],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        FIRST_WORD,
        [
            "One.\n\nPresident Lincoln.\n\nThree.",
            "One.\n \n“President’s day.\n\n\n\nThree.",
            "# One\n\n**PRESIDENT:** two\n\nThree",
        ],
        [
            "One.\n\nThe president.\n\nThree.",
            "President.\n\nTwo.\n\nThree.",
            "One.\n\nPresidents.\n\nThree.",
            "One.\n\nPresident.",
            "One.\n\nPresident.\n\nThree.\n\nFour.",
            "One.\nPresident.\nThree.",
            "One.\n\n***\n\nPresident.",
        ],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["[name] of [address]", "[a] [b] [c]", "[[a]] [b]"],
        ["[name]", "[name] [ ] []", "[na\nme] [b]", "(a) {b}"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        ["Bye.\n\nP.S. Call me.", "Bye. p.s. call", "Bye.\n**P. S.** Call", "Bye\nP.S: call"],
        ["Bye.", "Bye.\nP.S.", "Bye.\nPS call", "Bye.\nP.P.S. Call", "Bye.\nP. P. S. Call", "R.I.P.S. x"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.P.S"},
        ["Bye.\nP.P.S Call me.", "Bye.\nP.P.S. Call me.", "Bye.\nP. P. S. Call"],
        ["Bye.\nP.S. Call", "Bye.\nPPS call"],
    ),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 3},
        [
            "* one\n* two\n* three",
            "- one\n  - nested\n- two",
            "+ one\n\n* **two**\n\n- [ ] three\n\n---\n* * *\n",
            "1. first\n* a\n* b\n* c",
        ],
        [
            "* one\n* two",
            "* a\n* b\n* c\n* d",
            "1. one\n2. two\n3. three",
            "*one*\n*two*\n*three*",
            "– one\n– two\n– three",
            "* \n* a\n* b",
        ],
    ),
    (
        "detectable_format:constrained_response",
        {},
        ["My answer is yes.", "Well. **My answer is maybe.**"],
        ["Yes.", "my answer is yes.", "My answer is yes", "My answer is yes. My answer is no."],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*one* and *two*", "**one** and *two*", "***one***\n**two**", "* *one* in a bullet, *two*"],
        ["*one*", "**one**", "* one\n* two\n* three", "2 * 3 * 4 * 5", "*one\ntwo* *", "****", "_one_ _two_"],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        ["SECTION 1\nA\nSECTION 2\nB", "**Section 1:** a\n## Section II\nb", '"SECTION 1"\n> Section 2.'],
        ["SECTION 1\nA", "SECTION A\nx\nSECTION B\ny", "See SECTION 1 and SECTION 2.", "SECTIONS 1\nSECTION"],
    ),
    (
        "detectable_format:json_format",
        {},
        ['{"a": [1, 2.5, null]}', '```json\n{"a": 1}\n```', "```\n[]\n```", '  {"a": "*b*"}\n'],
        ['Here: {"a": 1}', "{'a': 1}", '{"a": 1', "{}\n{}", "NaN", "```json\n```", "[" * 100_000],
    ),
    (
        "detectable_format:title",
        {},
        ["<<Poem of joy>>\nRoses", "# <<a>>", "<<<b>>>"],
        ["<Poem>", "<< >>", "<<Poem", "<<Po\nem>>", "«Poem»"],
    ),
    (
        "combination:two_responses",
        {},
        ["One\n******\nTwo", "One ****** Two ******", "******\nOne***bold***\n******\nTwo"],
        ["One", "One\n******\nOne", "One\n******\n", "A\n******\nB\n******\nC", "A\n***\nB", "A\n*******\nB"],
    ),
    (
        "combination:repeat_prompt",
        REPEAT,
        [
            'Write a tweet about the "late" friend.\n\nSo late!',
            "write a  tweet about\nthe “late” friend. So late!",
        ],
        ['Sure! Write a tweet about the "late" friend.', "Write a tweet about the late friend.", "So late!"],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Is there anything else I can help with?"},
        [
            "Bye. Is there anything else I can help with?",
            'BYE. IS THERE ANYTHING ELSE I CAN HELP WITH?"\n',
            "**Is there anything else I can help with?**",
        ],
        ["Is there anything else I can help with? Bye.", "Is there anything else?", "Bye."],
    ),
    (
        "startend:quotation",
        {},
        ['"Hello."', "“Hello.”", ' "a"\n', "« Bonjour »"],
        ['"Hello.', 'Hello."', "'Hello.'", '"', 'He said "hello"'],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_relation": "at least", "capital_frequency": 2},
        ["NOW or NEVER", "I am HERE", "**STOP** it NOW!", "COVID-19, DON’T", "U.S. NAVY"],
        ["NOW", "Now Or Never", "1990 2000", "WELL-KNOWN", "DON'T"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_relation": "less than", "capital_frequency": 2},
        ["now", "STOP it"],
        ["STOP IT"],
    ),
    ("change_case:english_capital", {}, ["HELLO, WORLD 2!", "ÉTÉ"], ["Hello", "HELLO x", "123"]),
    ("change_case:english_lowercase", {}, ["hello, world 2!", "été"], ["Hello", "hello X", "123"]),
    (
        "punctuation:no_comma",
        {},
        ["No comma; none.", "1.000 ‚quoted‘"],
        ["Yes, one.", "1,000", "是，一", "نعم، واحد"],
    ),
]


@pytest.mark.parametrize(("instruction_id", "kwargs", "good", "bad"), CASES, ids=[case[0] for case in CASES])
def test_what_follows_and_what_does_not(
    instruction_id: str, kwargs: Kwargs, good: list[str], bad: list[str]
) -> None:
    assert [reply for reply in good if not follows(instruction_id, kwargs, reply)] == []
    assert [reply for reply in bad if follows(instruction_id, kwargs, reply)] == [], "should not follow"


def test_the_table_has_every_instruction_but_the_language() -> None:
    assert len(KNOWN_IDS) == 25
    assert {case[0] for case in CASES} == KNOWN_IDS - {"language:response_language"}


def test_an_empty_reply_follows_nothing() -> None:
    for instruction_id, kwargs, _, _ in CASES:
        assert not follows(instruction_id, kwargs, " \n"), instruction_id


def test_unknown_ids_are_named() -> None:
    check_known(KNOWN_IDS)
    with pytest.raises(ValueError, match="unknown instructions: a:b, c:d"):
        check_known(["c:d", "punctuation:no_comma", "a:b"])
    with pytest.raises(ValueError, match="a:b"):
        follows("a:b", {}, "x")


@pytest.mark.parametrize(
    ("instruction_id", "kwargs", "match"),
    [
        ("keywords:existence", {}, "keywords"),
        ("keywords:existence", {"keywords": []}, "keywords"),
        ("keywords:existence", {"keywords": ["a", ""]}, "keywords"),
        ("keywords:letter_frequency", {"letter": "qu", "let_frequency": 1, "let_relation": "at least"}, "qu"),
        ("length_constraints:number_words", {"relation": "at most", "num_words": 3}, "at least"),
        ("length_constraints:number_words", {"relation": "at least", "num_words": "3"}, "num_words"),
        ("length_constraints:number_words", {"relation": "at least", "num_words": -1}, "num_words"),
        ("length_constraints:number_words", {"relation": "at least", "num_words": True}, "num_words"),
        ("length_constraints:nth_paragraph_first_word", FIRST_WORD | {"nth_paragraph": 4}, "paragraph 4"),
        ("detectable_content:postscript", {"postscript_marker": "..."}, "letter"),
        ("language:response_language", {"language": "tlh"}, "tlh"),
        ("punctuation:no_comma", {"num_words": 3}, "num_words"),
    ],
)
def test_unfit_arguments_are_refused_at_load(instruction_id: str, kwargs: Kwargs, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        parse_instructions(json.dumps([{"id": instruction_id, "kwargs": kwargs}]))


@pytest.mark.parametrize("gold", ["", "[]", "{}", '["punctuation:no_comma"]', '[{"kwargs": {}}]', "[[]]"])
def test_a_reference_that_is_no_list_of_instructions_is_refused(gold: str) -> None:
    with pytest.raises(ValueError):
        parse_instructions(gold)


def test_null_arguments_and_whole_floats_of_table_files_are_understood() -> None:
    kwargs: Kwargs = {"num_bullets": 2.0, "relation": None, "keywords": None}
    assert follows("detectable_format:number_bullet_lists", kwargs, "* a\n* b")


def test_every_prompt_of_the_corpus_is_understood(data_dir: Path) -> None:
    lines = (data_dir / "tasks/ifeval/input_data.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    seen = set()
    for row in rows:
        stated = [
            {"id": one, "kwargs": kwargs}
            for one, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True)
        ]
        parsed = parse_instructions(json.dumps(stated))
        assert [one.instruction_id for one in parsed] == row["instruction_id_list"]
        seen.update(row["instruction_id_list"])
    assert len(rows) == 541
    assert seen == KNOWN_IDS


ALL = parse_instructions(json.dumps([{"id": case[0], "kwargs": case[1]} for case in CASES]))
FRAGMENTS = [
    "*", "**", "***", "******", "\n", "\n\n", "- ", "* ", "1. ", "```", "json", "{", "}", "[", "]", "<<",
    ">>", '"', "“", "”", "P.S. ", "P. ", "SECTION 1", "Mr. ", "e.g. ", "etc. ", "...", "…", "!", "?", ".",
    " ", "word", "A", "é", "是", "。", "—", "’", "\u200d", "\r", "\x00", "ß", "\ud800", "İ",
]  # fmt: skip


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_no_text_raises(reply: str) -> None:
    assert len(followed(ALL, reply)) == len(ALL)


@pytest.mark.parametrize(
    "unit", [*FRAGMENTS, "* a ", "*a", "***a", "[a", "<<a", "a. ", "- * ", "\n ", "\n* ", "A.-"]
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    started = time.process_time()
    followed(ALL, unit * (100_000 // len(unit)))
    assert time.process_time() - started < 2
