"""One run, its bundle, and a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.hostile_bundles import WORDS, Forger
from doubles.submitted_runs import metered_run
from joulemark.bundles.submission.content import cleaned
from joulemark.bundles.submission.pack import Packed, pack
from joulemark.bundles.submission.signing import SigningKey
from joulemark.runs.recorded import read_run
from joulemark.telemetry.journal import JournalReader


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep key, salt and consent of the tests apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


@pytest.fixture(scope="session")
def key() -> SigningKey:
    """A key that lies nowhere."""
    return SigningKey.new()


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a board and a plug."""
    return metered_run(tmp_path_factory.mktemp("submitted") / "run", 16)


@pytest.fixture(scope="session")
def packed(root: Path, key: SigningKey) -> Packed:
    """The run's bundle."""
    return pack(root, key=key, words=WORDS)


@pytest.fixture(scope="session")
def forger(root: Path, packed: Packed, key: SigningKey) -> Forger:
    """Somebody with an honest bundle and a key."""
    run = read_run(root)
    readings = JournalReader(run.layout.telemetry_journal)
    return Forger(packed, cleaned(run.manifest, run.rows, readings, WORDS), key)
