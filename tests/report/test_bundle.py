"""What a reader of a verified bundle is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from doubles.hostile_bundles import WORDS
from doubles.submitted_runs import metered_run
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import write_archive
from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.pack import Packed, pack
from joulemark.bundles.submission.signed_members import sign_members
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.verification import CHECKS
from joulemark.bundles.submission.verify import verify
from joulemark.metrics.catalogue import definition
from joulemark.metrics.caveat import Caveat
from joulemark.report.bundle_preview import preview_lines
from joulemark.report.bundle_terminal import _SAYS, verification_lines
from joulemark.report.busy import DAGGER, NOTE


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        root: Path = metered_run(tmp_path_factory.mktemp("run") / "run", 12)
    return pack(root, key=SigningKey.new(), words=WORDS)


def test_every_check_has_its_sentence() -> None:
    assert tuple(_SAYS) == CHECKS


def test_a_bundle_that_verifies(packed: Packed) -> None:
    told = list(verification_lines(verify(packed.data)))
    assert "VERIFIED" in told
    assert told[-1].startswith("A signature proves where a bundle comes from, not that what it says is true")
    assert any("Energy per correct answer" in line and " J" in line for line in told)
    assert any(line.split()[:2] == ["Tier", "B"] for line in told)


def test_a_verified_bundle_keeps_the_warnings_of_its_run(packed: Packed) -> None:
    found = verify(packed.data)
    assert found.summary is not None
    loud = Caveat("invalid", "Its times are INVALID.", loud=True)
    warned = replace(found, summary=replace(found.summary, caveats=(loud,)))
    assert "! Its times are INVALID." in list(verification_lines(warned))
    assert warned.to_json()["caveats"] == [
        {"code": "invalid", "text": "Its times are INVALID.", "loud": True}
    ]


def test_times_of_a_busy_machine_are_marked(packed: Packed) -> None:
    found = verify(packed.data)
    assert found.summary is not None
    quiet = "\n".join(verification_lines(found))
    busy = Caveat("busy_machine", "Other processes used 66 % of the processor.", loud=True)
    told = list(verification_lines(replace(found, summary=replace(found.summary, caveats=(busy,)))))
    for name in ("tokens_per_second", "cpu_seconds_per_correct_answer"):
        title = definition(name).title
        (line,) = (line for line in told if line.strip().startswith(f"{title} "))
        assert line.strip().startswith(f"{title} {DAGGER}"), line
    assert f"  {NOTE}" in told
    assert DAGGER not in quiet


def test_a_figure_that_was_forged_is_shown_beside_what_follows(packed: Packed) -> None:
    figures = orjson.loads(packed.members[m.FIGURES])
    figures["figures"]["accuracy"]["value"] = 0.125
    members = {name: packed.members[name] for name in m.SIGNED} | {m.FIGURES: canonical(figures)}
    told = list(verification_lines(verify(write_archive(sign_members(members, SigningKey.new())))))
    assert "DOES NOT VERIFY" in told
    assert any("figures.accuracy.value: 0.125 is stated, 0.5 follows" in line for line in told)


def test_what_was_not_reached_is_no_pass(packed: Packed) -> None:
    found = verify(write_archive({**packed.members, m.RUN: b"[]"}))
    told = list(verification_lines(found))
    assert found.to_json()["checks"]["figures"] == "not reached"
    assert any(line.strip().startswith("not reached") for line in told)
    assert "DOES NOT VERIFY" in told


def test_the_preview_shows_every_byte(packed: Packed) -> None:
    told = "\n".join(preview_lines(packed.members))
    for name, data in packed.members.items():
        assert f"=== {name} ({len(data):,} bytes) ===" in told
        assert data.decode().rstrip("\n") in told
