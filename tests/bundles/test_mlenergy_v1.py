"""The leaderboard of 2023: GPU and task in the file's name, accuracy in a file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.bundles.foreign_file import read_foreign
from joulemark.bundles.mlenergy_v1 import read_mlenergy_v1
from joulemark.record.errors import InputError

BENCHMARK = "model,throughput,response_length,latency,energy\norg/a,20,250,12.5,2000\norg/b,40,200,5,900\n"
SCORES = "model,arc,hellaswag,truthfulqa\norg/a,50,77,50\n"


def _write(folder: Path, name: str = "A40_chat_benchmark.csv", text: str = BENCHMARK) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_rows_with_and_without_a_score(tmp_path: Path) -> None:
    _write(tmp_path, "score.csv", SCORES)
    scored, other = read_mlenergy_v1(read_foreign(_write(tmp_path)), None)
    assert (scored.device, scored.task, scored.accuracy) == ("A40", "v1/chat", 0.5)
    assert scored.latency_s == {"tpot_mean": 0.05, "e2el_mean": 12.5}
    assert scored.mean_power_w == 160
    assert scored.settings == {"max_batch": 1, "accuracy_of": "arc"}
    assert (other.accuracy, other.reasons["accuracy"]) == (None, "not_published")


def test_without_the_scores_there_is_no_accuracy(tmp_path: Path) -> None:
    rows = read_mlenergy_v1(read_foreign(_write(tmp_path)), None)
    assert [row.accuracy for row in rows] == [None, None]


@pytest.mark.parametrize(
    ("name", "text", "scores", "told"),
    [
        ("benchmark.csv", BENCHMARK, SCORES, "GPU_TASK_benchmark.csv"),
        (
            "A40_chat_benchmark.csv",
            "model,latency\na,1\n",
            SCORES,
            "'response_length', 'energy'",
        ),
        ("A40_chat_benchmark.csv", BENCHMARK, SCORES.replace("50,77", "105,77"), "more than 100 %"),
        ("A40_chat_benchmark.csv", BENCHMARK, SCORES.replace("50,77", "many,77"), "column 'arc'"),
        ("A40_chat_benchmark.csv", BENCHMARK + "org/a,1,1,1,1\n", SCORES, "line 4: it repeats"),
        ("A40_chat_benchmark.csv", BENCHMARK.replace("12.5", "0"), SCORES, "column 'latency'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, scores: str, told: str) -> None:
    _write(tmp_path, "score.csv", scores)
    with pytest.raises(InputError) as refused:
        read_mlenergy_v1(read_foreign(_write(tmp_path, name, text)), None)
    assert told in str(refused.value)
