"""Outcomes from files of every kind that is read, and what is said of those that cannot be."""

from __future__ import annotations

import contextlib
import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy

from joulemark.frugal.outcomes.formats import inspect_log
from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.rates.declared import DeclaredRates
from joulemark.record.errors import InputError

_KEYS = ("eval", "samples", "scores", "value", "doc_id", "resps", "instance_id", "stats", "name", "id")
_KEYS += ("correct", "model", "metrics", "sum", "count", "model_usage", "metadata", "filter", "epoch")


def _lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_published_matrices(data_dir: Path) -> None:
    folder = data_dir / "frugal"
    one = read_outcomes(folder / "mmlu_pro_items.npz", model="gemini-1.5-pro-002")
    assert (one.metric, len(one), one.is_binary) == ("accuracy", 12020, True)
    assert one.values.mean() == pytest.approx(0.7025, abs=1e-4)  # field notes: .70
    assert one.item_ids[:2] == ("70", "71")
    assert one.domains is not None
    assert one.domains[0] == "business"
    assert len(one.costs["output_chars"]) == 12020
    assert "12 of 12,032 items" in one.notes[0]
    lengths = read_outcomes(folder / "mmlu_pro_items.npz", model="gemini-1.5-pro", metric="output_chars")
    assert lengths.metric == "output_chars"
    assert (lengths.low, lengths.high) == (lengths.values.min(), lengths.values.max())
    verifier = read_outcomes(folder / "gsm8k_test_openai.npz", model="175b_ver")
    assert (len(verifier), round(float(verifier.values.mean()), 2)) == (1319, 0.56)
    packed = read_outcomes(folder / "benchpred_binary.npz", benchmark="gsm", model="5")
    assert (packed.task, packed.name, len(packed)) == ("gsm", "model5", 1000)
    with pytest.raises(InputError, match="holds several") as error:
        read_outcomes(folder / "benchpred_binary.npz")
    assert "--benchmark" in error.value.fix
    with pytest.raises(InputError, match="several 'gemini'") as error:
        read_outcomes(folder / "mmlu_pro_items.npz", model="gemini")
    assert "gemini-1.5-flash-002, gemini-1.5-pro-002" in error.value.why


def test_answers_without_a_letter_are_wrong_and_missing_ones_are_left_out(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", correct=np.array([[1, 0, -1, -2]], dtype=np.int8), models=np.array(["a"]))
    one = read_outcomes(tmp_path / "m.npz")
    assert one.values.tolist() == [1, 0, 0]
    assert one.item_ids == ("0", "1", "2")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".json"])
def test_tables(tmp_path: Path, suffix: str) -> None:
    columns: dict[str, list[Any]] = {
        "question_id": ["a", "b", "c"],
        "correct": [True, False, True],
        "latency_s": [1.5, 2.5, None],
        "subject": ["x", "y", "x"],
    }
    path = tmp_path / f"t{suffix}"
    frame = pl.DataFrame(columns)
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix in (".csv", ".tsv"):
        frame.write_csv(path, separator="," if suffix == ".csv" else "\t")
    elif suffix == ".json":
        path.write_text(json.dumps(frame.to_dicts()))
    else:
        _lines(path, frame.to_dicts())
    one = read_outcomes(path)
    assert (one.metric, one.values.tolist()) == ("accuracy", [1, 0, 1])
    assert one.item_ids == ("a", "b", "c")
    assert one.domains == ("x", "y", "x")
    assert one.costs["e2el_s"][:2].tolist() == [1.5, 2.5]
    assert math.isnan(one.costs["e2el_s"][2])
    slow = read_outcomes(path, metric="e2el_s")
    assert (slow.metric, slow.values.tolist(), slow.item_ids) == ("e2el_s", [1.5, 2.5], ("a", "b"))


def test_columns_by_name_and_by_model(tmp_path: Path) -> None:
    rows = [
        {"model": m, "item_id": k, "score": 10.0 * k + n, "bleurt": k / 10}
        for n, m in enumerate(("one", "two"))
        for k in range(3)
    ]
    path = _lines(tmp_path / "long.jsonl", rows)
    two = read_outcomes(path, model="two")
    assert (two.name, two.metric, two.values.tolist()) == ("two", "score", [1, 11, 21])
    assert (two.low, two.high) == (1, 21)
    named = read_outcomes(path, model="one", metric="bleurt")
    assert (named.values.tolist(), named.low, named.high) == ([0, 0.1, 0.2], 0, 1)
    with pytest.raises(InputError, match="which one"):
        read_outcomes(path)
    with pytest.raises(InputError, match="no column 'nope'"):
        read_outcomes(path, model="one", metric="nope")
    only = tmp_path / "only.csv"
    only.write_text("id,whatever\n1,0.5\n2,0.25\n")
    assert read_outcomes(only).values.tolist() == [0.5, 0.25]
    bare = tmp_path / "bare.json"
    bare.write_text("[1, 0, 1, true]")
    assert read_outcomes(bare).values.tolist() == [1, 0, 1, 1]


def test_lm_eval_samples(tmp_path: Path) -> None:
    rows = [
        {
            "doc_id": k,
            "doc": {"question": "?", "subject": "law"},
            "resps": [["x"]],
            "filtered_resps": ["x"],
            "filter": how,
            "metrics": ["exact_match"],
            "exact_match": float(k % 2 if how == "strict-match" else 1),
        }
        for how in ("strict-match", "flexible-extract")
        for k in range(4)
    ]
    path = _lines(tmp_path / "samples_gsm8k_2026-11-30T12-00-00.000000.jsonl", rows)
    one = read_outcomes(path)
    assert (one.task, one.values.tolist(), one.item_ids) == ("gsm8k", [0, 1, 0, 1], ("0", "1", "2", "3"))
    assert one.domains == ("law",) * 4
    assert "flexible-extract" in one.notes[0]
    assert read_outcomes(path, metric="exact_match,flexible-extract").values.tolist() == [1] * 4
    with pytest.raises(InputError, match="no filter"):
        read_outcomes(path, metric="exact_match,other")
    with pytest.raises(InputError, match="no metric 'acc'"):
        read_outcomes(path, metric="acc")


def _inspect_log() -> dict[str, Any]:
    def sample(name: int, epoch: int, value: object) -> dict[str, Any]:
        return {
            "id": name,
            "epoch": epoch,
            "scores": {"match": {"value": value}, "other": {"value": 0.5}},
            "model_usage": {"m": {"input_tokens": 10, "output_tokens": 5 * epoch}},
            "total_time": 3.0,
            "working_time": 2.0,
            "metadata": {"category": "c"},
        }

    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "arc", "model": "openai/x"},
        "samples": [sample(1, 1, "C"), sample(1, 2, "I"), sample(2, 1, "P"), sample(2, 2, "C")],
    }


def test_inspect_logs(tmp_path: Path) -> None:
    log = _inspect_log()
    (tmp_path / "log.json").write_text(json.dumps(log))
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({k: v for k, v in log.items() if k != "samples"}))
        for k, one in enumerate(log["samples"]):
            archive.writestr(f"samples/{k}.json", json.dumps(one))
    for name in ("log.json", "log.eval"):
        one = read_outcomes(tmp_path / name)
        assert (one.task, one.name, one.metric) == ("arc", "openai/x", "score")
        assert one.values.tolist() == [0.5, 0.75]
        assert one.item_ids == ("1", "2")
        assert one.costs["e2el_s"].tolist() == [2, 2]
        assert one.costs["completion_tokens"].tolist() == [7.5, 7.5]
    assert read_outcomes(tmp_path / "log.json", metric="other").values.tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match="no scorer 'nope'"):
        read_outcomes(tmp_path / "log.json", metric="nope")
    (tmp_path / "bad.eval").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match="inspect log") as error:
        read_outcomes(tmp_path / "bad.eval")
    assert "inspect log convert" in error.value.fix


def test_helm_instances(tmp_path: Path) -> None:
    def stat(name: str, value: float) -> dict[str, Any]:
        return {"name": {"name": name, "split": "test"}, "count": 1, "sum": value}

    rows = [
        {
            "instance_id": f"id{k}",
            "train_trial_index": 0,
            "stats": [
                stat("exact_match", k % 2),
                stat("num_output_tokens", 7),
                stat("inference_runtime", 0.5),
            ],
        }
        for k in range(3)
    ]
    rows.append({**rows[0], "perturbation": {"name": "robustness"}})
    folder = tmp_path / "mmlu:subject=anatomy,model=x"
    folder.mkdir()
    (folder / "per_instance_stats.json").write_text(json.dumps(rows))
    for place in (folder, folder / "per_instance_stats.json"):
        one = read_outcomes(place)
        assert one.values.tolist() == [0, 1, 0]
        assert one.item_ids == ("id0", "id1", "id2")
        assert one.costs["completion_tokens"].tolist() == [7, 7, 7]
        assert one.costs["e2el_s"].tolist() == [0.5] * 3
    with pytest.raises(InputError, match="no statistic 'nope'"):
        read_outcomes(folder, metric="nope")


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or run"):
        read_outcomes(tmp_path / "missing")
    with pytest.raises(InputError, match="no run at"):
        read_outcomes(tmp_path)
    twice = _lines(tmp_path / "twice.jsonl", [{"id": "a", "correct": 1}, {"id": "a", "correct": 0}])
    with pytest.raises(InputError, match="'a' more than once"):
        read_outcomes(twice)
    words = _lines(tmp_path / "words.jsonl", [{"id": "a", "correct": "perhaps"}])
    with pytest.raises(InputError, match="'perhaps' is no correct"):
        read_outcomes(words)
    empty = _lines(tmp_path / "empty.jsonl", [{"id": "a", "correct": None}])
    with pytest.raises(InputError, match="no outcome"):
        read_outcomes(empty)
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"correct": 1}\n{"correct": \n')
    with pytest.raises(InputError, match="line 2"):
        read_outcomes(broken)
    np.savez(tmp_path / "pickled.npz", correct=np.array([object()]))
    with pytest.raises(InputError, match="no archive"):
        read_outcomes(tmp_path / "pickled.npz")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    data=st.binary(max_size=300), suffix=st.sampled_from([".npz", ".csv", ".jsonl", ".parquet", ".eval", ""])
)
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        assert np.isfinite(read_outcomes(path).values).all()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6000)
@given(
    document=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(_KEYS),
                inner,
                max_size=5,
            )
        ),
        max_leaves=15,
    )
)
def test_any_json_is_read_or_refused(tmp_path: Path, document: object) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps(document))
    with contextlib.suppress(InputError):
        assert np.isfinite(read_outcomes(path).values).all()


def test_a_files_name_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "run1.csv").write_text("id,correct\na,0\n")
    (tmp_path / "run[1].csv").write_text("id,correct\na,1\nb,1\n")
    (tmp_path / "run*.csv").write_text("id,correct\na,1\nb,1\nc,1\n")
    assert len(read_outcomes(tmp_path / "run[1].csv")) == 2
    assert len(read_outcomes(tmp_path / "run*.csv")) == 3


def test_numbers_and_texts_that_are_none(tmp_path: Path) -> None:
    huge = _lines(tmp_path / "huge.jsonl", [{"id": "a", "score": 1e308}, {"id": "b", "score": -1e308}])
    with pytest.raises(InputError, match="beyond 1e"):
        read_outcomes(huge)
    (tmp_path / "python.csv").write_text("id,score\na,1_0\nb,2\n")
    with pytest.raises(InputError, match="'1_0' is no score"):
        read_outcomes(tmp_path / "python.csv")
    (tmp_path / "wide.csv").write_bytes("id,correct\na,1\n".encode("utf-16"))
    with pytest.raises(InputError, match="no UTF-8"):
        read_outcomes(tmp_path / "wide.csv")


def test_archives_that_are_too_much_or_contradict_themselves(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "bomb.npz", correct=np.zeros((2, 60_000_000), dtype=np.int8))
    with pytest.raises(InputError, match="no archive") as error:
        read_outcomes(tmp_path / "bomb.npz")
    assert "the most" in error.value.why
    np.savez(
        tmp_path / "twice.npz", correct=np.ones((2, 3), dtype=np.int8), item_ids=np.array(["a", "b", "a"])
    )
    with pytest.raises(InputError, match="no archive") as error:
        read_outcomes(tmp_path / "twice.npz", model="0")
    assert "'a' stands in it more than once" in error.value.why
    np.savez(tmp_path / "huge.npz", score=np.array([[1e200, 0.0]]))
    with pytest.raises(InputError, match="no archive"):
        read_outcomes(tmp_path / "huge.npz")


def test_an_archive_is_held_against_its_bytes_and_what_is_no_array_is_not_read(tmp_path: Path) -> None:
    right = np.array([[1, 0, 1]], dtype=np.int8)
    np.savez(tmp_path / "text.npz", correct=right, models=np.array(["a" * 300]))
    with pytest.raises(InputError, match="no archive") as error:
        read_outcomes(tmp_path / "text.npz")
    assert "takes 1,200 bytes" in error.value.why
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "<U128", "fortran_order": False, "shape": (2_000_000,)})
    np.savez(tmp_path / "wide.npz", correct=right)
    with zipfile.ZipFile(tmp_path / "wide.npz", "a") as archive:
        archive.writestr("item_ids.npy", header.getvalue())
    with pytest.raises(InputError, match="no archive") as error:
        read_outcomes(tmp_path / "wide.npz")
    assert "take 1,024,000,003 bytes" in error.value.why
    np.savez(tmp_path / "beside.npz", correct=right)
    with zipfile.ZipFile(tmp_path / "beside.npz", "a") as archive:
        archive.writestr("correct", b"no array, whatever its size")
    assert read_outcomes(tmp_path / "beside.npz").values.tolist() == [1.0, 0.0, 1.0]


def test_a_log_is_held_against_all_that_is_read_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_log, "_MAX_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", b" " * 2000 + b"{}")
    with pytest.raises(InputError, match="cannot be read") as error:
        read_outcomes(tmp_path / "log.eval")
    assert "larger than 2 GB" in error.value.why


def test_a_late_duplicate_among_many_is_told_soon(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("id,correct\n" + "".join(f"q{k},1\n" for k in range(200_000)) + "q199999,0\n")
    with pytest.raises(InputError, match="'q199999' more than once"):
        read_outcomes(path)


def test_codes_below_0_are_codes_in_correct_alone(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "m.npz",
        score=np.array([[-2, -1, 0, 2]]),
        completion_tokens=np.array([[-1, 150, 149, -1]]),
        models=np.array(["a"]),
    )
    one = read_outcomes(tmp_path / "m.npz")
    assert (one.metric, one.values.tolist(), one.low, one.graded) == ("score", [-2, -1, 0, 2], -2, "score")
    assert np.nanmean(one.costs["completion_tokens"]) == 149.5
    assert "2 of 4 completion_tokens lie below 0 and are taken for unknown" in one.notes[0]


def test_a_cost_below_0_is_no_cost(tmp_path: Path) -> None:
    rows = [{"item_id": k, "correct": k % 2, "energy_j": -5 if k % 2 else 3} for k in range(4)]
    one = read_outcomes(_lines(tmp_path / "neg.jsonl", rows))
    assert np.nansum(one.costs["energy_j"]) == 6
    assert "2 of 4 energy_j lie below 0" in one.notes[0]


def test_a_table_whose_first_row_is_numbers_has_no_names(tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("1\n0\n1\n1\n")
    one = read_outcomes(tmp_path / "bare.csv")
    assert (one.metric, one.values.tolist()) == ("accuracy", [1, 0, 1, 1])
    assert "an item, and no names of columns" in one.notes[-1]
    (tmp_path / "two.csv").write_text("7,1\n8,0\n")
    with pytest.raises(InputError, match="no column of outcomes"):
        read_outcomes(tmp_path / "two.csv")
    assert read_outcomes(tmp_path / "two.csv", metric="column_2").values.tolist() == [1, 0]


def test_cells_that_say_nothing_that_is_known_are_refused(tmp_path: Path) -> None:
    for cell in ("maybe", "inf", "12%"):
        (tmp_path / "t.csv").write_text(f"item_id,score\na,0.5\nb,{cell}\n")
        with pytest.raises(InputError, match=f"'{cell}' is no score") as error:
            read_outcomes(tmp_path / "t.csv")
        assert "1 of 2 cells" in error.value.why


def test_numbers_without_a_known_unit_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item_id,correct,energy_wh,latency_ms,e2el_s,text\na,1,2,3,4,x\n")
    one = read_outcomes(tmp_path / "t.csv")
    assert list(one.costs) == ["e2el_s"]
    assert "not read as a cost: energy_wh, latency_ms; costs are columns named energy_j" in one.notes[0]


def test_rates_price_the_energy_and_the_tokens_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item_id,correct,energy_j,prompt_tokens,completion_tokens\na,1,3600000,10,20\n")
    one = read_outcomes(path, rates=DeclaredRates(usd_per_kwh=0.3, gco2e_per_kwh=50.0, pue=2.0))
    assert one.costs["usd"].tolist() == pytest.approx([0.6])
    assert one.costs["gco2e"].tolist() == pytest.approx([100.0])
    assert "usd of its energy_j at 0.3 per kWh and a PUE of 2" in one.notes
    hosted = read_outcomes(path, metric="usd", rates=DeclaredRates(price="1,2"))
    assert (hosted.metric, hosted.values.tolist()) == ("usd", pytest.approx([5e-5]))
    assert "usd" not in read_outcomes(path, rates=DeclaredRates()).costs
    bare = tmp_path / "bare.csv"
    bare.write_text("item_id,correct\na,1\n")
    for rates, why in (
        (DeclaredRates(usd_per_kwh=0.3), "no column energy_j"),
        (DeclaredRates(price="1,2"), "prompt_tokens and completion_tokens"),
        (DeclaredRates(tariff=tmp_path / "t.toml"), "change with time"),
        (DeclaredRates(embodied_kg=1.0), "how long a machine"),
        (DeclaredRates(pue=1.2), "no rate was given"),
    ):
        with pytest.raises(InputError, match="cannot be priced") as error:
            read_outcomes(bare, rates=rates)
        assert why in error.value.why
