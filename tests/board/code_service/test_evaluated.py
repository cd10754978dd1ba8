"""What a board keeps of an evaluation says what `code report` says of it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from doubles.made_up_evaluations import record_of, rows_of, write_evaluation
from joulemark.board.code_service.evaluated import PAGE, outcome
from joulemark.code.evaluation.figures import not_measured
from joulemark.code.evaluation.remarks import NO_SIZES
from joulemark.code.evaluation.sound import read_rows


def test_problems_that_have_no_sizes_are_told_as_not_measured(tmp_path: Path) -> None:
    record = record_of(n_problems=3)
    facts = {
        name: one.model_copy(update={"is_scalable": name != "p01"}) for name, one in record.problems.items()
    }
    record = record.model_copy(update={"problems": facts})
    write_evaluation(tmp_path, record, rows_of([1.0, 2.0, 1.0]))
    recorded = read_rows(tmp_path, record)
    assert recorded.not_measured == {}  # it is told by the record alone
    found = outcome(record, recorded, tmp_path, "mine")
    assert found["result"]["not_measured"] == not_measured(record, recorded) == {"p01": NO_SIZES}
    assert any("p01" in note and NO_SIZES[:40] in note for note in found["result"]["notes"])
    with zipfile.ZipFile(io.BytesIO(found["files"])) as packed:
        assert "not wholly measured" in packed.read(PAGE).decode()
