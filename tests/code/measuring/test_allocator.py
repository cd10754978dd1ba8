"""What the memory allocator has seen before changes no program's time."""

from __future__ import annotations

import statistics

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode

_LARGE_INTEGERS = """
def f(n):
    total = 1
    for k in range(n):
        total |= 1 << (2_000_000 + k)
    return total.bit_count()
"""
_FREES = (
    "bytes(1 << 20)  # made and freed: an allocator that learns from it maps no block of that size anew\n"
)


def _least_cpu_ns(sandbox: Sandbox, source: str) -> int:
    found = []
    for _ in range(4):
        with sandbox.cell() as cell:
            cell.load(source, "f")
            found.append(cell.call([encode((60,))]).cpu_ns)
    return min(found)


def test_a_line_that_frees_a_large_block_makes_no_program_faster(sandbox: Sandbox) -> None:
    ratios = [
        _least_cpu_ns(sandbox, _FREES + _LARGE_INTEGERS) / _least_cpu_ns(sandbox, _LARGE_INTEGERS)
        for _ in range(3)
    ]
    assert 0.8 < statistics.median(ratios) < 1.25
