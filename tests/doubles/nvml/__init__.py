"""A fake NVIDIA driver library with known true energy, loaded by the real ``pynvml``.

::

    from doubles.nvml import FakeBoard, FakeNvml, Piece

    fake = FakeNvml(tmp_path, [FakeBoard(power=[Piece(2.0, 60.0), Piece(5.0, 300.0)])])
    subprocess.run([sys.executable, "-m", "joulemark", "doctor"], env=fake.env)   # a whole process tree, or
    with fake.in_process():                                                       # this very process
        ...
    joules = fake.true_energy_j(0, t0_ns, t1_ns)     # exact, between two CLOCK_MONOTONIC instants

The curve's zero is the moment ``FakeNvml`` was made (or ``start_ns``). Its state lives in one shared file, so
`FakeNvml` can change boards while another process reads them (`set_power_w`, `board(i).temperature_c = 95`).
"""

from .curve import Piece
from .driver import FakeBoard, FakeNvml

__all__ = ["FakeBoard", "FakeNvml", "Piece"]
