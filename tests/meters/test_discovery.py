"""What is found, and what is said where nothing is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml
from doubles.nvml.driver import NO_PERMISSION, NOT_READY
from joulemark.meters.discovery import LOCAL, discover
from joulemark.meters.rapl.powercap import ROOT_VARIABLE
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError

Machine = Callable[..., tuple[FakeNvml, VirtualClock]]


def test_none_means_none() -> None:
    assert discover(["none"]) == []


@pytest.mark.parametrize("meters", [["abacus"], ["replay:"], ["none", "rapl"], ["nvml", "none"]])
def test_an_unknown_meter_names_the_known_ones(meters: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        discover(meters)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("meter", "meant"),
    [
        ("shely:192.168.1.20?id=1", "shelly:192.168.1.20?id=1"),
        ("Tasmota:plug", "tasmota:plug"),
        ("shely", "shelly:ADDRESS"),
        ("nvlm", "nvml"),
        ("atuo", "auto"),
    ],
)
def test_a_misspelled_kind_is_told_with_what_was_meant(meter: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        discover([meter])
    assert f"did you mean {meant!r}?" in caught.value.fix
    with pytest.raises(InputError) as unlike:
        discover(["zzz:1"])
    assert "did you mean" not in unlike.value.fix


def test_a_kind_that_takes_no_address_is_not_called_unknown() -> None:
    with pytest.raises(InputError, match="takes no address") as caught:
        discover(["nvml:0"])
    assert caught.value.fix == "use nvml"


def test_a_missing_trace_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        discover([f"replay:{tmp_path}/none.csv"])


def test_every_missing_source_has_a_why_and_a_fix(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (ROOT_VARIABLE, "JOULEMARK_SYS", "JOULEMARK_HWMON"):
        monkeypatch.setenv(variable, "/nonexistent")
    monkeypatch.setenv("JOULEMARK_ZEUS", "amd")
    machine(init_error=12)
    findings = discover()
    assert {finding.kind for finding in findings} == set(LOCAL)
    for finding in findings:
        assert finding.spec is None
        assert finding.info is None
        assert finding.why
        assert finding.fix
        assert finding.measures


@pytest.mark.parametrize(
    ("code", "words", "fix"),
    [
        (12, "libnvidia-ml.so.1", "--gpus all"),
        (9, "kernel module", "modprobe nvidia"),
        (NO_PERMISSION, "/dev/nvidiactl", "usermod"),
        (18, "updated", "reboot"),
        (NOT_READY, "ready state", "nvidia-smi"),
        (999, "nvml_error_999", "nvidia-smi"),
    ],
)
def test_each_failure_of_the_driver_has_its_fix(machine: Machine, code: int, words: str, fix: str) -> None:
    machine(FakeBoard(), init_error=code)
    (finding,) = discover(["nvml"])
    assert words in finding.why
    assert fix in finding.fix


def test_one_bad_board_does_not_hide_the_others(machine: Machine) -> None:
    nothing = FakeBoard(unsupported=["FieldValues", "TotalEnergyConsumption", "PowerUsage"])
    machine(
        FakeBoard(), FakeBoard(lost_at_s=0.0), nothing, FakeBoard(unsupported=[83, "TotalEnergyConsumption"])
    )
    findings = discover(["nvml"])
    assert [finding.name for finding in findings] == ["nvml:0", "nvml:1", "nvml:2", "nvml:3"]
    assert [finding.spec is not None for finding in findings] == [True, False, False, True]
    assert "fell off the bus" in findings[1].why
    assert "neither energy nor power" in findings[2].why
    assert "power only" in findings[3].measures


def test_a_driver_without_boards(machine: Machine) -> None:
    machine()
    (finding,) = discover(["nvml"])
    assert "no board" in finding.why


def test_without_nvidia_ml_py_the_fix_is_to_install_it() -> None:
    code = (
        "import sys; sys.modules['pynvml'] = None\n"
        "from joulemark.meters.discovery import LOCAL, discover\n"
        "from joulemark.meters.boards import boards, processes_on\n"
        "assert boards() == [] and processes_on('GPU-a') is None\n"
        "print(discover(['nvml'])[0].fix)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install nvidia-ml-py"


def test_without_a_library_the_real_loader_says_so() -> None:
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    code = "from joulemark.meters.discovery import LOCAL, discover; print(discover(['nvml'])[0].why)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert "NVIDIA" in done.stdout


def test_discovery_costs_no_heavy_import() -> None:
    code = (
        "import sys; import joulemark.meters.discovery, joulemark.meters.thermal\n"
        "print([m for m in ('pynvml', 'polars', 'pydantic', 'numpy', 'json') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
