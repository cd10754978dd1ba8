"""The journal of an evaluation where it cannot be written."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest

from doubles.made_up_evaluations import done_of, record_of, rows_of
from joulemark.code.evaluation.journal import FILE, CodeJournal, read_journal
from joulemark.record.errors import InputError


def test_a_full_disk_is_told_once_and_what_was_written_stands(tmp_path: Path) -> None:
    made = done_of(record_of(n_problems=2), rows_of([1.0, 2.0]))
    first, second = [done for done in made if not done.is_control][:2]
    journal = CodeJournal(tmp_path)
    journal.append(first)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / FILE).stat().st_size, hard))
    try:
        with pytest.raises(InputError, match="cannot be used"):
            journal.append(second)
        journal.close()  # raises nothing over the message
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert set(read_journal(tmp_path).runs) == {first.problem_id}
