"""What a program may take. Limits of time are enforced from outside; the kernel's own stand behind them."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
MAX_THREADS = 64
_OPEN_FILES = 32  # pairs of sockets hold up to half a MiB each, which nobody sees
_SIGNALS = 256  # that wait for the process: each is memory of the kernel's
_SPARE_ADDRESS_SPACE = 512 * MIB  # interpreter, libraries, stacks of threads: address space, not memory
_NO_DUMP = 1  # with 0 a dump is still piped to a program where the system has one for that


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run of one program.

    ``wall_s``: of one call, and of loading, without the time that it was ready to run and had no processor,
    where the system tells that; ``cpu_s``: CPU time of one call, and of loading;
    ``memory_bytes``: resident memory; ``output_bytes``: what it may print or write to a file; ``tmp_bytes``:
    its private ``/tmp``. Beside these it may have `MAX_THREADS` threads.
    """

    wall_s: float = 10.0
    cpu_s: float = 10.0
    memory_bytes: int = 1024 * MIB
    output_bytes: int = 64 * MIB
    tmp_bytes: int = 64 * MIB

    def kernel_limits(self) -> dict[str, int]:
        """Return the kernel's resource limits, looser than ours, by name. The stack is left alone.

        There is none of CPU time: it would make the kernel keep the process's CPU clock by ticks, so that the
        clock stands still for milliseconds while the process runs. The parent looks at that clock instead.
        """
        return {
            "RLIMIT_AS": self.memory_bytes + _SPARE_ADDRESS_SPACE,
            "RLIMIT_FSIZE": self.output_bytes,
            "RLIMIT_NOFILE": _OPEN_FILES,
            "RLIMIT_SIGPENDING": _SIGNALS,
            "RLIMIT_CORE": _NO_DUMP,
        }
