from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from joulemark.cli.__main__ import cli

SMALL = ("--gpu", "small", "--gpus", "2", "--model", "smollm2-135m", "--max-batch", "8", "--max-batch", "16")
LOAD = ("--rate", "2", "--prompt-tokens", "60", "--output-tokens", "20")


def _plan(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["simulate", "plan", *SMALL, *LOAD, *arguments], catch_exceptions=False)


def test_a_plan_names_a_set_up_and_says_that_nothing_was_measured() -> None:
    result = _plan("--max-tpot", "100ms")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "never measured" in text
    assert "Least energy within the limits: batch 8, TP 1, × 1 (1 GPU)" in text
    assert "J/req" in text


def test_json_is_complete_and_unrounded() -> None:
    result = _plan("--json", "--split", "1p1d")
    document = json.loads(result.stdout)
    assert document["kind"] == "simulated"
    assert document["pick"]["figures"]["request_j"] != round(document["pick"]["figures"]["request_j"], 2)
    assert {row["prefill_instances"] for row in document["rows"]} == {0, 1}


@pytest.mark.parametrize("limits", [("--max-tpot", "1us"), ("--max-ttft", "1us"), ("--rate", "9000")])
def test_no_set_up_within_the_limits_is_exit_code_1(limits: tuple[str, str]) -> None:
    result = _plan(*limits)
    assert result.exit_code == 1
    assert "No set-up that was tried keeps up within the limits" in result.stdout
    refused = "beyond" if limits[0] != "--rate" else "serves at most"
    assert refused in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--split", "3"), "write 1p3d"),
        (("--split", "0p1d"), "write 1p3d"),
        (("--max-tpot", "soon"), "is no time"),
        (("--rate", "0"), "--rate"),
        (("--rate", "nan"), "--rate"),
    ],
)
def test_bad_options_are_refused(arguments: tuple[str, ...], said: str) -> None:
    result = _plan(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_unknown_boards_are_refused_with_those_that_there_are() -> None:
    from joulemark.record.errors import InputError

    with pytest.raises(InputError, match="no simulated GPU is named 'H1000'") as error:
        _plan("--gpu", "H1000")
    assert "H100" in error.value.fix


def test_all_rows_fit_a_narrow_terminal() -> None:
    result = _plan("--all")
    rows = [line for line in result.stdout.splitlines() if line.startswith("batch ")]
    assert len(rows) >= 3
    assert all(len(line) <= 80 and "…" not in line for line in rows)
