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
    assert "Run batch 8, TP 1, × 1: " in text
    assert "at most 100.0 ms is asked for" in text
    assert "J/req" in text


def test_json_is_complete_and_unrounded() -> None:
    result = _plan("--json", "--split", "1p1d")
    document = json.loads(result.stdout)
    assert document["kind"] == "simulated"
    assert document["energy_j"] != round(document["energy_j"], 2)
    assert {one["settings"]["prefill_instances"] for one in document["set_ups"]} == {0, 1}


def test_one_token_has_no_time_per_token_and_none_is_the_fastest_in_it() -> None:
    result = _plan("--output-tokens", "1", "--gpus", "2")
    assert result.exit_code == 0
    assert "—" in result.stdout
    assert "a token" not in result.stdout
    assert "for the whole answer" in " ".join(result.stdout.split())
    document = json.loads(_plan("--output-tokens", "1", "--json").stdout)
    assert document["latency"] == "e2el_mean"
    assert document["pick"]["latencies_s"]["tpot_mean"] is None
    assert document["reasons"]["tpot_s"]["code"] == "one_token"


def test_the_saving_that_is_printed_is_that_of_the_figures() -> None:
    arguments = ("--rate", "9", "--output-tokens", "60", "--max-batch", "2", "--max-batch", "64")
    document = json.loads(_plan(*arguments, "--json").stdout)
    pick, fastest = document["pick"], document["fastest"]
    assert pick["label"] != fastest["label"]
    share = 1 - pick["energy_j"] / fastest["energy_j"]
    assert document["saving_fraction"] == pytest.approx(share)
    text = " ".join(_plan(*arguments).stdout.split())
    assert f"Energy: {100 * share:.1f} % less than the fastest ({fastest['label']})" in text


@pytest.mark.parametrize("command", ["plan", "serve"])
def test_a_batch_that_no_step_has_room_for_is_refused(command: str) -> None:
    from joulemark.record.errors import InputError

    needed = ("--rate", "1") if command == "plan" else ()
    arguments = ["simulate", command, *needed, "--max-batch", "64", "--max-batched-tokens", "32"]
    with pytest.raises(InputError, match="32 is below") as error:
        CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "at least 64" in error.value.fix


def test_made_up_lengths_are_the_same_options_for_real_and_simulated_loads() -> None:
    from joulemark.cli.load import load
    from joulemark.cli.simulate import plan

    ours, theirs = ({p.name: p for p in command.params} for command in (plan, load))
    for name in ("lengths", "longest"):
        assert ours[name].to_info_dict() == theirs[name].to_info_dict()


@pytest.mark.parametrize("limits", [("--max-tpot", "1us"), ("--max-ttft", "1us"), ("--rate", "9000")])
def test_no_set_up_within_the_limits_is_exit_code_1(limits: tuple[str, str]) -> None:
    result = _plan(*limits)
    assert result.exit_code == 1
    slow = limits[0] == "--rate"
    assert (
        "No set-up that was tried keeps up" if slow else "No configuration meets the limits"
    ) in result.stdout
    assert ("serves at most" if slow else "beyond") in result.stdout


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
