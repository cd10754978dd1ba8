"""A bundle says what its run says, to the last digit, and always in the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles import loaded_views, run_views, submitted_runs, varied_runs
from doubles.hostile_bundles import WORDS
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import write_archive
from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.pack import Packed, pack
from joulemark.bundles.submission.signed_members import sign_members
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.source_hash import source_hash
from joulemark.bundles.submission.stated import differences, stated_figures
from joulemark.bundles.submission.verify import verify
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.record.errors import InputError
from joulemark.record.item import ItemRow
from joulemark.runs.layout import RunLayout
from joulemark.runs.view import summary_of


def _without_scores(view: RunView) -> RunView:
    """What failed has no score, as a run writes it."""
    return replace(view, items=tuple(replace(item, score=None) for item in view.items))


VIEWS: dict[str, Callable[[], RunView]] = {
    "without meter": run_views.without_meter,
    "with failures": lambda: run_views.without_meter(with_failures=True),
    "with counter": run_views.with_counter,
    "not streamed": run_views.not_streamed,
    "replayed": run_views.replayed,
    "fitted": varied_runs.fitted,
    "priced": varied_runs.priced,
    "with wall meter": varied_runs.with_wall_meter,
    "integrated": varied_runs.integrated_only,
    "real-valued": varied_runs.real_valued,
    "repeated": varied_runs.repeated,
    "all failed": lambda: _without_scores(varied_runs.all_failed()),
    "canary": varied_runs.canary,
    "closed load": lambda: loaded_views.closed(60),
    "open load": lambda: loaded_views.poisson(60),
    "stopped": varied_runs.stopped,
}


def alike(run: Summary, bundled: Summary) -> None:
    """Every figure, interval, reason, latency and count, to the last digit."""
    for name, value in run.figures.items():
        other = bundled.figures[name]
        assert (other.value, other.lo, other.hi, other.reason, other.n) == (
            value.value, value.lo, value.hi, value.reason, value.n,
        ), name  # fmt: skip
    one, other_document = stated_figures(run), stated_figures(bundled)
    for place in ("latency", "verdicts", "counts", "duration_s", "measurement_tier", "energy_source"):
        assert one[place] == other_document[place], place


def test_a_metered_run_and_its_bundle_have_the_same_figures(root: Path, packed: Packed) -> None:
    _, summary = summary_of(root)
    assert summary.measurement_tier == "B"
    assert summary.figures["joules_per_correct_answer"].value is not None
    found = verify(packed.data)
    assert found.verified
    assert found.summary is not None
    alike(summary, found.summary)
    assert found.view is not None
    assert found.view.headline_energy.source == "nvml:0"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", VIEWS)
def test_so_have_all_kinds_of_runs(tmp_path: Path, key: SigningKey, name: str) -> None:
    root = submitted_runs.of_view(tmp_path / "run", VIEWS[name]())
    _, summary = summary_of(root)
    found = verify(pack(root, key=key, words=WORDS).data)
    assert found.findings == ()
    assert found.summary is not None
    alike(summary, found.summary)


def test_meters_with_private_names_keep_their_joules(tmp_path: Path, key: SigningKey) -> None:
    manifest = submitted_runs.described(12)
    names = ("hwmon:amdgpu-0000_03_00/zq7", "homeassistant:zq7attic")
    for meter, name in zip(manifest.meters, names, strict=True):
        object.__setattr__(meter.source, "name", name)
    told = submitted_runs.readings(12, board=names[0], plug=names[1])
    root = submitted_runs.write_run(tmp_path / "run", manifest, submitted_runs.answers(12), told)
    _, summary = summary_of(root)
    found = verify(pack(root, key=key, words=WORDS).data)
    assert found.verified
    assert found.summary is not None
    alike(summary, found.summary)
    assert found.summary.headline_source == "nvml:m1"


def test_the_same_run_gives_the_same_bytes(root: Path, packed: Packed, key: SigningKey) -> None:
    assert pack(root, key=key, words=WORDS).data == packed.data


def test_it_holds_the_members_and_nothing_else(tmp_path: Path, packed: Packed) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(packed.data)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == list(m.MEMBERS)
        assert archive.testzip() is None
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    head = orjson.loads(packed.members[m.BUNDLE])
    assert head["licence"] == "CC-BY-4.0"
    assert orjson.loads(packed.members[m.ENVIRONMENT])["software"]["source_hash"] == source_hash()


def test_commitments_leave_and_their_key_does_not(packed: Packed) -> None:
    lines = packed.members[m.ITEMS].split(b"\n")[:-1]
    assert len({orjson.loads(line)["answer_commitment"] for line in lines}) == 16


def test_packing_changes_nothing_of_the_run(root: Path, key: SigningKey) -> None:
    before = {path: path.read_bytes() for path in sorted(root.iterdir()) if path.is_file()}
    pack(root, key=key, words=WORDS)
    assert {path: path.read_bytes() for path in sorted(root.iterdir()) if path.is_file()} == before


def test_a_run_without_answers_is_refused(tmp_path: Path, key: SigningKey) -> None:
    layout = RunLayout(tmp_path / "run")
    layout.create()
    layout.write_manifest(submitted_runs.described(4))
    with pytest.raises(InputError, match="nothing was answered"):
        pack(layout.root, key=key, words=WORDS)


def test_a_run_that_is_too_large_is_refused_before_it_is_sent(
    tmp_path: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = submitted_runs.metered_run(tmp_path / "run", 4)
    monkeypatch.setattr(m, "MAX_SAMPLES", 10)
    with pytest.raises(InputError, match="too large to be submitted"):
        pack(root, key=key, words=WORDS)


def test_a_clock_beyond_53_bits_keeps_its_nanoseconds(tmp_path: Path, key: SigningKey) -> None:
    """A machine that was up for 200 days, with uneven nanoseconds."""
    far = 200 * 86_400 * 10**9 + 7 - run_views.T0
    manifest = submitted_runs.described(4)
    segment = manifest.segments[0]
    segment.t0 += far
    segment.t1 = None if segment.t1 is None else segment.t1 + far
    for window in manifest.windows:
        window.t0, window.t1 = window.t0 + far, (window.t1 or 0) + far
    rows = []
    for row in submitted_runs.answers(4):
        moved = {n: getattr(row.item, n) + far for n in ("t_sent", "t_end", "t_first", "t_first_answer")}
        tries = tuple(replace(a, t_sent=a.t_sent + far, t_end=a.t_end + far) for a in row.item.attempts)
        chunks = tuple(replace(chunk, t_ns=chunk.t_ns + far) for chunk in row.chunks)
        rows.append(ItemRow(replace(row.item, **moved, attempts=tries), chunks))
    told = (replace(one, t_ns=one.t_ns + far) for one in submitted_runs.readings(4))
    root = submitted_runs.write_run(tmp_path / "run", manifest, rows, told)
    _, summary = summary_of(root)
    found = verify(pack(root, key=key, words=WORDS).data)
    assert found.verified
    assert found.summary is not None
    assert found.view is not None
    alike(summary, found.summary)
    assert [item.t_sent for item in found.view.items] == [row.item.t_sent for row in rows]


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(1e-8, 1.0))
def test_only_rounding_is_no_difference(value: float, part: float) -> None:
    assert list(differences({"a": [value]}, {"a": [value]})) == []
    other = value * (1 + part)
    if abs(value) > 1e-3 and abs(other) < 1e308:
        assert list(differences({"a": value}, {"a": other})) == [("a", value, other)]


@pytest.mark.parametrize(("one", "other"), [(1, True), (None, 0), ("1", 1), ([1], [1, 2]), ({"a": 1}, {})])
def test_another_kind_of_value_is_a_difference(one: object, other: object) -> None:
    assert list(differences(one, other))


def test_a_bundle_of_another_version_may_lack_figures_that_came_later(
    packed: Packed, key: SigningKey
) -> None:
    figures, environment = (
        orjson.loads(packed.members[m.FIGURES]),
        orjson.loads(packed.members[m.ENVIRONMENT]),
    )
    del figures["figures"]["ipj"]
    members = {name: packed.members[name] for name in m.SIGNED} | {m.FIGURES: canonical(figures)}
    found = verify(write_archive(sign_members(members, key)))
    assert [finding.check for finding in found.findings] == ["figures"]
    environment["software"]["joulemark_version"] = "0.0.9"
    members[m.ENVIRONMENT] = canonical(environment)
    found = verify(write_archive(sign_members(members, key)))
    assert found.verified
    figures["figures"]["accuracy"]["value"] = 1
    members[m.FIGURES] = canonical(figures)
    assert not verify(write_archive(sign_members(members, key))).verified


def test_what_is_at_its_default_does_not_stand_in_it(packed: Packed) -> None:
    """So that a field which comes later makes no older bundle another one."""
    run = orjson.loads(packed.members[m.RUN])
    assert "timeout_s" not in run
    assert "limits_s" not in run


def test_what_a_stopped_run_is_a_part_of_leaves_and_older_bundles_lack_it(
    tmp_path: Path, key: SigningKey
) -> None:
    root = submitted_runs.of_view(tmp_path / "run", varied_runs.stopped())
    view = verify(pack(root, key=key, words=WORDS).data).view
    assert view is not None
    assert view.manifest.task.n_drawn_from == 9000
    (earlier,) = view.manifest.earlier_stops
    assert earlier.stopped is not None
    assert (earlier.targets, earlier.told, earlier.stopped.asked) == (["accuracy ±25pp"], [], 10)
    older = submitted_runs.of_view(tmp_path / "older", run_views.with_lengths(20))
    with zipfile.ZipFile(BytesIO(pack(older, key=key, words=WORDS).data)) as bundle:
        run = orjson.loads(bundle.read(m.RUN))
    assert "n_whole" not in run["task"]
    assert "earlier_stops" not in run
