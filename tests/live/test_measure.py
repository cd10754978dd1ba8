"""``joulemark.measure`` around blocks and functions, with a real sampler and boards of known power."""

from __future__ import annotations

import asyncio
import functools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import joulemark
from doubles.nvml import FakeNvml
from joulemark.live.measurement import Measurement
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

TEST_S = 0.4


def measured() -> Measurement:
    return joulemark.measure(meters="nvml", test_s=TEST_S)


def assert_holds(block: Measurement, boards: FakeNvml) -> None:
    """The true energy of the block's own stretch lies in every bound."""
    assert block._t1_ns is not None
    for board in range(2):
        true_j = boards.true_energy_j(board, block._t0_ns, block._t1_ns)
        energy = block.energy(f"gpu:{board}")
        assert isinstance(energy, MeasuredEnergy)
        assert energy.lo <= true_j <= energy.hi


def test_a_block(boards: FakeNvml) -> None:
    with measured() as block:
        time.sleep(0.7)
        held = bytearray(40 << 20)
    del held
    assert block.duration_s == pytest.approx(0.7, abs=0.25)
    assert_holds(block, boards)
    assert list(block.energies) == ["wall/psu/gpu:0", "wall/psu/gpu:1"]
    total = block.total
    assert isinstance(total, MeasuredEnergy)
    assert total.joules == pytest.approx(300 * block.duration_s, rel=0.03)
    assert block.cpu_seconds.value is not None
    assert 0 < block.cpu_seconds.value < 0.7
    memory = block.peak_memory
    assert memory.value is not None
    assert memory.value > 40
    assert block.gco2e.reason is Reason.NO_GRID_INTENSITY
    assert block.usd.reason is Reason.NO_PRICE
    assert "gpu:0 1" in repr(block)
    assert block.to_json()["total_joules"] == total.joules
    assert block.result is block.result


def test_what_is_too_short_has_a_bound_and_no_zero(boards: FakeNvml) -> None:
    with measured() as block:
        pass
    assert_holds(block, boards)
    energy = block.energy("gpu:0")
    assert isinstance(energy, MeasuredEnergy)
    assert energy.hi > 0
    assert energy.joules > 0


def test_blocks_may_be_nested_and_beside_each_other(boards: FakeNvml) -> None:
    inner: list[Measurement] = []

    def work() -> None:
        with measured() as block:
            time.sleep(0.15)
        inner.append(block)

    with measured() as outer:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        work()
        for thread in threads:
            thread.join()
    assert len(inner) == 5
    for block in (*inner, outer):
        assert_holds(block, boards)
    assert outer.duration_s > max(block.duration_s for block in inner)


def test_several_threads_that_begin_first_share_one_set(boards: FakeNvml) -> None:
    sets = []

    def work() -> None:
        with measured() as block:
            pass
        sets.append(block._set)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sets) == 5
    assert len(set(map(id, sets))) == 1


def test_a_function_and_each_of_its_calls(boards: FakeNvml) -> None:
    ended: list[Measurement] = []

    @joulemark.measure(meters=["nvml"], test_s=TEST_S, on_end=ended.append)
    def step(seconds: float) -> str:
        """Sleep."""
        time.sleep(seconds)
        return "done"

    assert step.__doc__ == "Sleep."
    assert step(0.1) == step(0.2) == "done"
    assert [round(block.duration_s, 1) for block in ended] == [0.1, 0.2]
    assert step.last is ended[-1]  # type: ignore[attr-defined]
    for block in ended:
        assert_holds(block, boards)


def test_coroutines_are_measured_to_their_end(boards: FakeNvml) -> None:
    @measured()
    async def wait(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    async def both() -> tuple[list[float], Measurement]:
        async with measured() as block:
            return await asyncio.gather(wait(0.1), wait(0.3)), block

    answers, block = asyncio.run(both())
    assert answers == [0.1, 0.3]
    assert block.duration_s >= 0.3
    last: Measurement = wait.last  # type: ignore[attr-defined]
    assert last.duration_s >= 0.3
    assert_holds(last, boards)


def fail() -> None:
    time.sleep(0.05)
    raise KeyError("mine")


def test_exceptions_pass_and_the_block_is_measured(boards: FakeNvml) -> None:
    block = measured()
    with pytest.raises(KeyError, match="mine"), block:
        fail()
    assert_holds(block, boards)

    fails = measured()(fail)
    with pytest.raises(KeyError, match="mine"):
        fails()
    assert isinstance(fails.last.energy("gpu:0"), MeasuredEnergy)  # type: ignore[attr-defined]


def test_inside_the_block_it_tells_what_it_took_so_far(boards: FakeNvml) -> None:
    with measured() as block:
        time.sleep(0.1)
        first = block.energy("gpu:0")
        assert "so far" in repr(block)
        time.sleep(0.1)
    last = block.energy("gpu:0")
    assert isinstance(first, MeasuredEnergy)
    assert isinstance(last, MeasuredEnergy)
    assert 0 < first.joules < last.joules


def test_rates_make_money_and_carbon_of_it(boards: FakeNvml) -> None:
    with joulemark.measure(meters="nvml", test_s=TEST_S, zone="FRA", usd_per_kwh=0.3, pue=1.2) as block:
        time.sleep(0.2)
    total = block.total
    assert isinstance(total, MeasuredEnergy)
    assert block.usd.value == pytest.approx(total.joules / 3.6e6 * 0.3 * 1.2)
    assert block.gco2e.value is not None
    assert block.gco2e.lo is not None
    assert 0 < block.gco2e.lo < block.gco2e.value
    with pytest.raises(InputError, match="XXZ"):
        joulemark.measure(zone="XXZ")
    with pytest.raises(InputError, match="usd_per_kwh"):
        joulemark.measure(usd_per_kwh=float("nan"))


def test_a_trace_stands_in_and_says_so(boards: FakeNvml, tmp_path: Path) -> None:
    trace = tmp_path / "steady.csv"
    rows = "".join(f"{i / 50},{i * 2.0},100\n" for i in range(400))
    trace.write_text(f"# scope = wall/psu/gpu:0\nt_s,energy_j,power_w\n{rows}")
    with joulemark.measure(meters=[f"replay:{trace}"], test_s=TEST_S) as block:
        time.sleep(0.4)
    energy = block.energy("gpu:0")
    assert isinstance(energy, MeasuredEnergy)
    assert energy.joules == pytest.approx(100 * block.duration_s, rel=0.1)
    assert block.result.replayed
    assert block.result.tier[0] is None


def test_without_any_meter_there_is_time_and_a_reason() -> None:
    with joulemark.measure(meters="none") as block:
        sum(range(300_000))
    assert block.energies == {}
    assert isinstance(block.total, Withheld)
    assert block.total.reason is Reason.NO_METER
    assert block.cpu_seconds.value
    assert "no joules" in repr(block)


def test_wrong_use_is_told(boards: FakeNvml) -> None:
    block = measured()
    assert "not begun" in repr(block)
    with pytest.raises(RuntimeError, match="not begun"):
        _ = block.energies
    with block:
        pass
    with pytest.raises(RuntimeError, match="one block"), block:
        pass
    with pytest.raises(InputError, match="wattmeter"), joulemark.measure(meters="wattmeter"):
        pytest.fail("the block must not run")

    def numbers():  # type: ignore[no-untyped-def]
        yield 1

    for wrong, words in (
        (numbers, "numbers is a generator"),
        (functools.partial(numbers), "generator"),
        (Measurement, "Measurement is a class"),
        ("nvml", "meters="),
    ):
        with pytest.raises(TypeError, match=words):
            joulemark.measure(wrong)  # type: ignore[call-overload]
    with pytest.raises(AttributeError, match="mesure"):
        _ = joulemark.mesure  # type: ignore[attr-defined]


class Waits:
    async def __call__(self) -> None:
        await asyncio.sleep(0)


def test_what_only_prepares_its_work_is_not_measured_as_if_it_had_worked() -> None:
    async def work() -> None:
        await asyncio.sleep(0)

    async def numbers():  # type: ignore[no-untyped-def]
        yield 1

    for function in (lambda: work(), Waits()):
        with pytest.raises(TypeError, match="async def"):
            joulemark.measure(meters="none")(function)()
    for function in (lambda: numbers(), lambda: (i for i in range(3))):
        with pytest.raises(TypeError, match="generator"):
            joulemark.measure(meters="none")(function)()
    waits = joulemark.measure(meters="none")(functools.partial(work))
    asyncio.run(waits())
    assert waits.last.duration_s > 0  # type: ignore[attr-defined]


def test_a_failing_on_end_costs_neither_the_result_nor_the_blocks_exception() -> None:
    def broken(_block: Measurement) -> None:
        raise ValueError("of the callback")

    def measure() -> Measurement:
        return joulemark.measure(meters="none", on_end=broken)

    async def answer() -> int:
        return 42

    with pytest.warns(RuntimeWarning, match="of the callback"):
        assert measure()(lambda: 42)() == 42
    with pytest.warns(RuntimeWarning, match="of the callback"):
        assert asyncio.run(measure()(answer)()) == 42
    with pytest.warns(RuntimeWarning, match="of the callback"), measure() as block:
        pass
    assert block.duration_s > 0
    with pytest.raises(KeyError, match="mine") as caught, measure():
        fail()
    (note,) = caught.value.__notes__
    assert "of the callback" in note
    assert "mine" not in note
    with pytest.raises(KeyError, match="mine"):
        measure()(fail)()


def test_readings_that_nobody_can_ask_for_are_dropped(boards: FakeNvml) -> None:
    from joulemark.live import session

    kept = measured()
    with kept:
        pass
    asked = measured()
    with asked:
        pass
    assert session._needed_from() == kept._t0_ns
    _ = asked.energies
    assert session._needed_from() == kept._t0_ns
    _ = kept.energies
    assert session._needed_from() > asked._t0_ns
    with measured():
        pass
    assert session._held == {}  # nobody has that block any more


def test_a_forked_child_opens_its_own_and_the_parent_goes_on(boards: FakeNvml) -> None:
    told = boards.run_python(
        """
import os, time
import joulemark
from joulemark.record.energy import Withheld
measure = lambda: joulemark.measure(meters="nvml", test_s=0.4)
outer = measure()
with outer:
    time.sleep(0.05)
    pid = os.fork()
    if not pid:
        with measure() as block:
            time.sleep(0.1)
        assert block.energy("gpu:0").joules > 10, block
        outer.__exit__(None, None, None)
        energy = outer.energy("gpu:0")
        assert isinstance(energy, Withheld) and "forked" in energy.detail
        assert outer.cpu_seconds.value is None
        raise SystemExit(7)   # with the handlers that run at the end
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
assert outer.energy("gpu:0").lo > 10, outer
print("both measured")
"""
    )
    assert "both measured" in told


def test_the_end_of_the_process_ends_the_sampler(boards: FakeNvml, tmp_path: Path) -> None:
    begin_s = time.monotonic()
    told = boards.run_python(
        """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
import joulemark
with joulemark.measure(meters="nvml", test_s=0.4) as block:
    pass
print(block._set._sampler.pid)
""",
        str(tmp_path),
    )
    assert time.monotonic() - begin_s < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(told), 0)
    assert not list(tmp_path.glob("joulemark-live-*"))


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; import joulemark; print([m for m in sys.modules if m.startswith('joulemark.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    code = """
import sys, joulemark
block = joulemark.measure()
print(sorted({m.split(".")[0] for m in sys.modules} & {"numpy", "polars", "pydantic", "rich", "click"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_argument_that_there_is_not_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(TypeError, match=r"takes no meter=; did you mean meters=\?.*zone="):
        joulemark.measure(meter="none")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"takes no colour=\. It takes meters="):
        joulemark.measure(colour=1)  # type: ignore[call-overload]
