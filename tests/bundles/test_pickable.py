"""Candidates from folders: each once, broken ones told, texts counted by the run that holds them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from doubles import run_views
from doubles.published_files import text_file, text_row
from joulemark.bundles.pickable import pickable
from joulemark.cli.import_ import import_
from joulemark.metrics.picking import token_rates
from joulemark.rates.declared import DeclaredRates
from joulemark.record.errors import InputError
from joulemark.record.item import ItemRow
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = text_file(
        tmp_path / "llm_text_generation__chat.csv",
        text_row("org/a", "NVIDIA H100 80GB HBM3", 100.0, 0.03, 32),
        text_row("org/b", "NVIDIA H100 80GB HBM3", 60.0, 0.08, 128),
    )
    assert (
        CliRunner().invoke(import_, ["mlenergy", str(path), "--into", str(tmp_path / "rows")]).exit_code == 0
    )
    return tmp_path / "rows"


def test_rows_count_once_with_their_lengths_and_rates(rows: Path) -> None:
    found = pickable([rows, rows.parent], DeclaredRates(usd_per_kwh=0.5))
    assert sorted(one.point.model for one in found.candidates) == ["org/a", "org/b"]
    for one in found.candidates:
        assert one.rates.usd_per_kwh == 0.5
        assert one.point.mean_completion_tokens
        assert one.scaled_j_per_token == one.point.energy_j.value / one.point.mean_completion_tokens
        assert one.model.reason is not None


def test_what_is_broken_is_told_and_passed_over(rows: Path, tmp_path: Path) -> None:
    broken = tmp_path / "run"
    broken.mkdir()
    (broken / "manifest.json").write_text(json.dumps({"run_id": 5}))
    found = pickable([rows, broken], DeclaredRates())
    assert len(found.candidates) == 2
    assert [path for path, _ in found.unread] == [str(broken)]
    with pytest.raises(InputError, match="nothing to pick from"):
        pickable([broken], DeclaredRates())


def test_a_copied_run_is_no_second_candidate(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path / "a run")
    layout.create()
    layout.write_manifest(run_views.manifest())
    journal = ItemJournal(layout.items_journal)
    for index in range(4):
        journal.append(ItemRow(run_views.item(index, start_s=10 + 2.0 * index)))
    journal.close()
    shutil.copytree(tmp_path / "a run", tmp_path / "its copy")
    found = pickable([tmp_path], DeclaredRates())
    assert len(found.candidates) == 1
    assert [(Path(path).name, why.partition(" of ")[0]) for path, why in found.unread] == [
        ("its copy", "it is a copy")
    ]


def test_the_rates_of_a_tokenizer_are_found() -> None:
    texts = [(40 * k, 12 + 10 * k, 50 * k, 11 * k) for k in range(1, 21)]
    found = token_rates(texts)
    assert found is not None
    assert (found.fixed, found.per_prompt_character) == (pytest.approx(12.0), pytest.approx(0.25))
    assert found.per_answer_character == pytest.approx(0.22)
    assert token_rates(texts[:9]) is None
    assert token_rates([(0, 5, 0, 0)] * 20) is None
    alike = token_rates([(100, 40, 10, 3)] * 20)
    assert alike is not None
    assert (alike.fixed, alike.per_prompt_character) == (0.0, pytest.approx(0.4))
