"""Rows in the exact columns of data sets that are not at hand; every word of them was written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

Rows = list[dict[str, Any]]


def _choice(question: str, options: list[str], answer: int) -> dict[str, Any]:
    return {"question": question, "subject": "everyday_things", "choices": options, "answer": answer}


_THINGS = [
    ("Which of these floats on water?", ["a cork", "a nail", "a coin", "a stone"], 0),
    ("Which of these is hot?", ["snow", "ice", "fire", "frost"], 2),
    ("Which of these has wheels?", ["a boat", "a bicycle", "a sledge", "a kite"], 1),
    ("Which of these gives milk?", ["a hen", "a bee", "a trout", "a cow"], 3),
    ("Which of these is sweet?", ["honey", "salt", "vinegar", "pepper"], 0),
    ("Which of these flies?", ["a mole", "a swallow", "a carp", "an oak"], 1),
    ("Which of these is round?", ["a brick", "a book", "a ball", "a ruler"], 2),
    ("Which of these is a tool?", ["a cloud", "a song", "a joke", "a hammer"], 3),
]
_SUMS = [(n, 3 * n + 1) for n in range(2, 14)]


def _word_problem(n: int, total: int) -> dict[str, Any]:
    return {
        "question": f"A basket holds {3 * n} pears and 1 plum. How many fruits does it hold?",
        "answer": f"All of them are {3 * n} + 1 = <<{3 * n}+1={total}>>{total} fruits.\n#### {total}",
        "cleaning_status": "consensus",
    }


def _redux(place: int, thing: tuple[str, list[str], int]) -> dict[str, Any]:
    fault = "wrong_groundtruth" if place == 3 else "ok"
    plain = _choice(*thing)
    del plain["subject"]
    return {
        **plain,
        "error_type": fault,
        "source": None,
        "correct_answer": "3" if place == 3 else None,
        "potential_reason": None,
    }


def _arc(place: int, thing: tuple[str, list[str], int]) -> dict[str, Any]:
    labels = ["1", "2", "3", "4"] if place == 2 else ["A", "B", "C", "D"]
    question, options, answer = thing
    return {
        "id": f"Made_up_{place}",
        "question": question,
        "choices": {"text": options, "label": labels},
        "answerKey": labels[answer],
    }


ROWS: dict[str, dict[str, Rows]] = {
    "gsm8k_platinum": {"test": [_word_problem(*pair) for pair in _SUMS]},
    "mmlu_redux": {"test": [_redux(place, thing) for place, thing in enumerate(_THINGS)]},
    "arc_challenge": {
        "train": [_arc(place, thing) for place, thing in enumerate(_THINGS[6:], 6)],
        "test": [_arc(place, thing) for place, thing in enumerate(_THINGS[:6])],
    },
    "hellaswag": {
        split: [
            {
                "ind": place,
                "activity_label": "Baking",
                "ctx_a": f"A cook weighs {place} pounds of flour.",
                "ctx_b": "she",
                "ctx": f"A cook weighs {place} pounds of flour. She",
                "endings": ["adds water to it.", "is a bridge.", "snows on the piano.", "divides by a cat."],
                "source_id": f"made~up~{place}",
                "split": split,
                "split_type": "indomain",
                "label": "" if split == "test" else "0",
            }
            for place in range(1, 5)
        ]
        for split in ("validation", "test")
    },
    "winogrande": {
        "validation": [
            {
                "sentence": f"The vase did not fit in box {n} because the _ was too large.",
                "option1": "vase",
                "option2": "box",
                "answer": "1",
            }
            for n in range(1, 6)
        ]
    },
    "gpqa_diamond": {
        "train": [
            {
                "Record ID": f"made{n}",
                "Question": f"How many sides has a prism over a polygon of {n} sides?",
                "Correct Answer": str(n + 2),
                "Incorrect Answer 1": str(n),
                "Incorrect Answer 2": str(n + 1),
                "Incorrect Answer 3": str(2 * n),
                "Explanation": "Two bases and one side for each edge.",
            }
            for n in range(3, 9)
        ]
    },
    "opinionqa": {
        "test": [
            {
                "key": f"MADE_UP_{n}",
                "question": f"How safe do you feel in the street at {n} in the evening?",
                "options": ["Very safe", "Safe", "Not safe"],
                "ordinal": [1.0, 2.0, 3.0],
                "human": [0.5, 0.3, 0.2],
            }
            for n in range(6, 12)
        ]
    },
    "billsum": {
        "test": [
            {
                "title": f"A bill to name bridge {n}",
                "text": f"SECTION 1. The bridge over the river at mile {n} shall be called the Long Bridge. "
                "SECTION 2. A sign with this name shall be put up within one year.",
                "summary": f"Names the bridge at mile {n} the Long Bridge and orders a sign within one year.",
            }
            for n in range(1, 6)
        ]
    },
}
"""By task and split."""


def write_json_lines(task: str, folder: Path) -> Path:
    """Write a task's rows as a folder of JSON lines, one file a split; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in ROWS[task].items():
        (folder / f"{split}.jsonl").write_text(
            "".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8"
        )
    return folder


def write_parquet(rows: Rows, path: Path) -> None:
    """Write rows as the hub's Parquet copy holds them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_parquet(path)


def write_csv(rows: Rows, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_csv(path)
