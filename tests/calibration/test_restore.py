"""Power limits are put back: by us, after an error, and after a kill."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml
from doubles.nvml.driver import NO_PERMISSION
from doubles.powercap import FakePowercap
from joulemark.calibration.power_limits import NotPermitted, power_limits, set_limit_w
from joulemark.calibration.restore import held_limits, leftover, restore
from joulemark.calibration.restore_file import restore_path
from joulemark.record.errors import InputError

PLANNED = [500.0, 400.0]


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeNvml]:
    """A board whose user set it to 600 W of 700 W."""
    fake = FakeNvml(tmp_path, [FakeBoard(limit_w=600.0, limit_default_w=700.0, limit_min_w=100.0)])
    with fake.in_process():
        yield fake


def limit_w(board: FakeNvml) -> float:
    return board.board(0).limit_mw * 1e-3


def change(to_w: float) -> None:
    (one,) = power_limits()
    set_limit_w(one.kind, one.address, to_w)


def kill_while_changed(board: FakeNvml) -> None:
    """Let another process lower the limit, and kill it with signal 9 before it can put it back."""
    code = (
        "import time\n"
        "from joulemark.calibration.lock import calibration_lock\n"
        "from joulemark.calibration.power_limits import power_limits, set_limit_w\n"
        "from joulemark.calibration.restore import held_limits\n"
        "with calibration_lock():\n"
        "    limits = power_limits()\n"
        f"    with held_limits(limits, [{PLANNED}]):\n"
        "        set_limit_w(limits[0].kind, limits[0].address, 400.0)\n"
        "        print('changed', flush=True)\n"
        "        time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=board.env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "changed\n"
    assert leftover() is None  # it lives: nothing is left over
    with pytest.raises(InputError, match="a calibration is running"):
        restore()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert limit_w(board) == 400.0


def test_limits_are_read_with_what_may_be_set(board: FakeNvml) -> None:
    (one,) = power_limits()
    assert (one.in_force_w, one.default_w, one.lowest_w, one.highest_w) == (600.0, 700.0, 100.0, 700.0)
    assert one.base_w == 700.0


def test_the_limit_before_is_in_force_afterwards(board: FakeNvml) -> None:
    with held_limits(power_limits(), [PLANNED]):
        file = json.loads(restore_path().read_text())
        assert stat.S_IMODE(restore_path().stat().st_mode) == 0o600
        assert file["pid"] == os.getpid()
        assert file["limits"][0]["previous_w"] == 600.0
        assert limit_w(board) == 600.0  # nothing was changed before the file was there
        change(500.0)
    assert limit_w(board) == 600.0
    assert not restore_path().exists()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_ends_it_the_limit_is_put_back(board: FakeNvml, error: type[BaseException]) -> None:
    def body() -> None:
        with held_limits(power_limits(), [PLANNED]):
            change(400.0)
            raise error

    with pytest.raises(error):
        body()
    assert limit_w(board) == 600.0
    assert not restore_path().exists()


def test_a_killed_calibration_is_told_and_mended(board: FakeNvml) -> None:
    kill_while_changed(board)
    told = leftover()
    assert told is not None
    assert "gpu:0 600 W" in told
    with pytest.raises(InputError, match="put back first"), held_limits(power_limits(), [PLANNED]):
        pass
    assert restore() == ["gpu:0: 600 W put back (was left at 400 W)"]
    assert limit_w(board) == 600.0
    assert leftover() is None
    assert restore() == []


def test_the_factorys_limit_on_request(board: FakeNvml) -> None:
    kill_while_changed(board)
    restore(to_default=True)
    assert limit_w(board) == 700.0


def test_what_somebody_set_since_is_left_alone(board: FakeNvml) -> None:
    kill_while_changed(board)
    change(333.0)
    (said,) = restore()
    assert "somebody has set 333 W since" in said
    assert limit_w(board) == 333.0
    assert not restore_path().exists()


def test_after_a_boot_there_is_nothing_to_put_back(board: FakeNvml) -> None:
    kill_while_changed(board)
    file = json.loads(restore_path().read_text())
    restore_path().write_text(json.dumps({**file, "boot_id": "another"}))
    assert "started anew" in restore()[0]
    assert limit_w(board) == 400.0
    assert not restore_path().exists()


@pytest.mark.parametrize("text", ["", "{", '{"format": "joulemark-power-limits"}', "[]"])
def test_a_torn_file_is_never_taken_for_a_limit(board: FakeNvml, text: str) -> None:
    restore_path().parent.mkdir(parents=True, exist_ok=True)
    restore_path().write_text(text)
    assert leftover() is not None
    with pytest.raises(InputError, match="cannot be read"):
        restore()
    assert restore_path().exists()
    assert limit_w(board) == 600.0


def test_without_permission_nothing_changes_and_the_way_out_is_told(tmp_path: Path) -> None:
    forbidding = FakeBoard(limit_w=600.0, errors=[("SetPowerLimit", NO_PERMISSION, 0.0, 1e6)])
    fake = FakeNvml(tmp_path, [forbidding])
    with fake.in_process():
        with pytest.raises(NotPermitted, match="sudo"), held_limits(power_limits(), [PLANNED]):
            change(500.0)
        assert fake.board(0).n_limits_set == 0
    assert not restore_path().exists()


def test_a_limit_that_cannot_be_put_back_keeps_its_file(board: FakeNvml) -> None:
    def body() -> None:
        with held_limits(power_limits(), [PLANNED]):
            change(400.0)
            board.lose(0)

    with pytest.raises(InputError, match="could not be put back"):
        body()
    assert restore_path().exists()
    board.board(0).lost_at_ns = 2**63 - 1
    assert restore() == ["gpu:0: 600 W put back (was left at 400 W)"]


def test_a_request_to_end_waits_until_the_limits_are_back(board: FakeNvml) -> None:
    """Ctrl-C again and again while they are put back: all of them are, then it is heard."""
    code = (
        "import os, signal, threading\n"
        "from joulemark.calibration import restore as r\n"
        "from joulemark.calibration.power_limits import power_limits, set_limit_w\n"
        "before = r.set_limit_w\n"
        "def pressed(*a):\n"
        "    for _ in range(3): os.kill(os.getpid(), signal.SIGINT)\n"
        "    before(*a)\n"
        "r.set_limit_w = pressed\n"
        "limits = power_limits()\n"
        "try:\n"
        f"    with r.held_limits(limits, [{PLANNED}]):\n"
        "        set_limit_w(limits[0].kind, limits[0].address, 400.0)\n"
        "except KeyboardInterrupt:\n"
        "    print('heard', flush=True)\n"
    )
    assert board.run_python(code) == "heard\n"
    assert limit_w(board) == 600.0
    assert not restore_path().exists()


def test_a_processors_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakePowercap(tmp_path, packages=2, limit_w=125.0)
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(tree.root))
    limits = power_limits()
    assert [one.in_force_w for one in limits] == [125.0, 125.0]
    file = tree.root / "intel-rapl:0" / "constraint_0_power_limit_uw"
    with held_limits(limits, [[100.0], [100.0]]):
        set_limit_w(limits[0].kind, limits[0].address, 100.0)
        assert file.read_text().strip() == "100000000"
    assert file.read_text().strip() == "125000000"
