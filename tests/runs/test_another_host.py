"""A run belongs to one machine: another one neither goes on with it nor adds its joules to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from doubles import slow_meter_runs
from doubles.loaded import carried_out, plan_of, task_of
from doubles.working_engine import WorkingEngine
from joulemark.calibration.node import earlier_host_hash, host_hash
from joulemark.load.shape import LoadShape
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason
from joulemark.runs.layout import RunLayout
from joulemark.runs.view import view_of


def begun_elsewhere(root: Path, host: str = "elsewhere") -> None:
    layout = RunLayout(root)
    manifest = layout.read_manifest()
    manifest.segments[0].host_hash = host
    layout.write_manifest(manifest)


def test_a_run_is_not_gone_on_with_on_another_machine(tmp_path: Path) -> None:
    shape = LoadShape.closed(1)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.001) as engine:
        plan = plan_of(engine.url, task_of(3), shape, tmp_path / "run")
        carried_out(plan)
        begun_elsewhere(tmp_path / "run")
        with pytest.raises(InputError, match="does not go on with") as caught:
            carried_out(plan)
        assert "another machine" in caught.value.why
        assert "--out DIR" in caught.value.fix


def test_what_an_earlier_version_began_here_is_not_gone_on_with_and_says_why(tmp_path: Path) -> None:
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.001) as engine:
        plan = plan_of(engine.url, task_of(3), LoadShape.closed(1), tmp_path / "run")
        _, run = carried_out(plan)
        assert run.manifest.segments[0].host_hash == host_hash()
        begun_elsewhere(tmp_path / "run", earlier_host_hash())
        with pytest.raises(InputError, match="does not go on with") as caught:
            carried_out(plan)
    assert "earlier version" in caught.value.why


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_path_of_another_machine_is_another_device(elsewhere: bool) -> None:
    rng = np.random.default_rng(3)
    run = slow_meter_runs.recorded(slow_meter_runs.answers(80, rng), rng, breaks=(40,))
    if elsewhere:
        run.manifest.segments[1].host_hash = "elsewhere"
    energy = view_of(run).headline_energy
    if elsewhere:
        assert isinstance(energy, Withheld)
        assert energy.reason is Reason.SCOPES_DIFFER
    else:
        assert isinstance(energy, MeasuredEnergy)
