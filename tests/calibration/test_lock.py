"""One calibration at a time, and no dead one in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from joulemark.calibration.lock import calibration_lock, is_locked, lock_path
from joulemark.files.boot import boot_id
from joulemark.record.errors import InputError

_HOLD = (
    "import sys, time\n"
    "from joulemark.calibration.lock import calibration_lock\n"
    "with calibration_lock():\n"
    "    print('held', flush=True)\n"
    "    time.sleep(60)\n"
)


@pytest.fixture
def other():
    process = subprocess.Popen([sys.executable, "-c", _HOLD], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_living_holder_is_named(other):
    assert is_locked()
    with pytest.raises(InputError, match=f"process {other.pid}"), calibration_lock():
        pass


def test_a_killed_holder_holds_nothing(other):
    other.kill()
    other.wait()
    assert not is_locked()
    with calibration_lock():
        assert json.loads(lock_path().read_text()) == {"pid": os.getpid(), "boot_id": boot_id()}
    assert not is_locked()


@pytest.mark.parametrize("left", ["", "{", '{"pid": 1, "boot_id": "another boot"}', '{"pid": "x"}'])
def test_what_lies_in_the_file_holds_nobody_up(left):
    lock_path().parent.mkdir(parents=True)
    lock_path().write_text(left)
    with calibration_lock():
        assert is_locked()
