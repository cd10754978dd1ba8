"""A fake ``power`` PMU: its tree in sysfs, and a C library that opens and reads its counters.

::

    pmu = FakePmu(tmp_path, packages=2, power_w=40.0)
    with pmu.in_process(now_ns=clock.now_ns):                    # this process, on virtual time
        ...
    subprocess.run([sys.executable, ...], env=pmu.preloaded_env)  # another, with the library preloaded
"""

from .pmu import FakePmu

__all__ = ["FakePmu"]
