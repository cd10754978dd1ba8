"""Programs that cheat in ways which the self-test does not name: what `code_held_back` grades.

They solve `LOOP` (or `PAIRS`), do ``TIMES`` what its reference does where nothing else is said, and try to
have less of it seen.
"""

from __future__ import annotations

TIMES = 3
MIB = 16
_WORK = f"""
def work(values, rounds, times={TIMES}):
    for _ in range(times):
        total = 0
        for _ in range(rounds):
            for value in values:
                total = (total * 31 + value * value) % 1000003
    return total
"""
HONEST = f"{_WORK}\nsolve = work\n"
ANY = "from unittest.mock import ANY\n\ndef solve(values, rounds):\n    return ANY\n"
WITHIN_ITSELF = "def solve(values, rounds):\n    one = []\n    one.append(one)\n    return one\n"
RAISES_THE_ANSWER = f"{_WORK}\ndef solve(values, rounds):\n    raise StopIteration(work(values, rounds, 1))\n"
WRONG_WHEN_LARGE = f"""{_WORK}
def solve(values, rounds):
    found = work(values, rounds, 10)
    return found if rounds < 1_000 else None
"""
BY_NAMES = f"""{_WORK}
import hashlib, os, time

def asked(name):
    begin = time.perf_counter_ns()
    os.path.lexists("/usr/lib/" + name)
    return time.perf_counter_ns() - begin

def solve(values, rounds):
    key = hashlib.sha1(repr((rounds, values)).encode()).hexdigest()
    odd = f"{{time.perf_counter_ns()}}"
    new = sorted(asked(f"{{odd}}{{one}}") for one in range(80))[20]
    known = sorted(asked(odd) for _ in range(80))[60]
    def is_known(tag):
        return sorted(asked(f"{{key}}{{tag}}+{{look}}") for look in range(3))[1] * 2 < new + known
    for turn in range(30):
        if not is_known(f"{{turn}}-"):
            break
        found = [is_known(f"{{turn}}-{{bit}}") for bit in range(20)]
        if not all(found):
            leave(key, turn + 1, found)
            return sum(1 << bit for bit in range(20) if found[bit])
    answer = work(values, rounds)
    leave(key, 0, [answer >> bit & 1 for bit in range(20)])
    return answer

def leave(key, turn, bits):
    for look in range(3):
        asked(f"{{key}}{{turn}}-+{{look}}")
        for bit, one in enumerate(bits):
            if one:
                asked(f"{{key}}{{turn}}-{{bit}}+{{look}}")
"""
BY_PAGES = f"""{_WORK}
import ctypes, hashlib, mmap, os, resource

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
FAR = 24 * mmap.PAGESIZE
file = os.open("@FILE@", os.O_RDONLY)
PLACES = os.fstat(file).st_size // FAR
base = libc.mmap(None, PLACES * FAR, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
libc.madvise(base, PLACES * FAR, 1)

def is_warm(place):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    ctypes.c_ubyte.from_address(base + place % PLACES * FAR).value
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before

def solve(values, rounds):
    digest = hashlib.sha1(repr((rounds, values)).encode()).digest()
    first, mark = int.from_bytes(digest[:4], "big"), digest[4]
    for turn in range(12):
        start = first + 40 * turn
        if not is_warm(start):
            break
        bits = [is_warm(start + 1 + bit) for bit in range(28)]
        word = sum(1 << bit for bit in range(28) if bits[bit])
        if word >> 20 == mark:
            is_warm(start + 40)
            for bit in range(28):
                if bits[bit]:
                    is_warm(start + 41 + bit)
            return word & 0xFFFFF
    answer = work(values, rounds)
    for bit in range(28):
        if (mark << 20 | answer) >> bit & 1:
            is_warm(first + 40 * turn + 1 + bit)
    return answer
"""
AT_A_COLLECTION = f"""{_WORK}
import gc, sys

memo = {{}}

class Looks:
    def __init__(self):
        self.me = self
    def __del__(self):
        frame = sys._getframe(1)
        while frame is not None:
            for held in list(frame.f_locals.values()):
                for one in held if type(held) is list else ():
                    if type(one) in (list, tuple) and len(one) == 2 and type(one[0]) is list:
                        memo[repr(one[0]), one[1]] = work(*one)
            frame = frame.f_back
        if not memo:
            Looks()  # for the next one

Looks()

def solve(values, rounds):
    key = repr(values), rounds
    return memo[key] if key in memo else work(values, rounds)
"""
NO_COLLECTION = """
import gc, sys

gc.disable()
for name, module in list(sys.modules.items()):
    if name.endswith("inside.worker"):
        module._collect = lambda *_: 0
gc.collect = gc.freeze = lambda *_: 0

def solve(pairs):
    total = 0
    for one, other in pairs:
        total = (total * 31 + one * other) % 1000003
    return total
"""
_HELD = f"""{_WORK}
HELD = {MIB} << 20

def touched(size):
    held = bytearray(size)
    held[::4096] = b"x" * (len(held) // 4096)
    return held
"""
OTHERS_DROPPED = f"""{_HELD}
import ctypes

libc = ctypes.CDLL(None)
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LOADED, WRITABLE, PAGE = 1, 2, 4096
parts = []

class Segment(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("rights", ctypes.c_uint32), ("offset", ctypes.c_uint64)]
    _fields_ += [(name, ctypes.c_uint64) for name in ("at", "physical", "in_file", "size", "aligned")]

class Library(ctypes.Structure):
    _fields_ = [("base", ctypes.c_uint64), ("name", ctypes.c_char_p)]
    _fields_ += [("segments", ctypes.POINTER(Segment)), ("n", ctypes.c_uint16)]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
def seen(library, size, data):
    for one in library[0].segments[: library[0].n]:
        if one.kind == LOADED and not one.rights & WRITABLE:
            first = (library[0].base + one.at) // PAGE * PAGE
            parts.append((first, (library[0].base + one.at + one.in_file - first) // PAGE * PAGE))
    return 0

libc.dl_iterate_phdr(seen, None)

def solve(values, rounds):
    for first, size in parts:
        if size > 0:
            libc.madvise(first, size, 4)
    held = touched(HELD)
    return work(values, rounds)
"""
AT_IMPORT = f"""{_HELD}
held = touched(HELD)

def solve(values, rounds):
    held[::4096] = b"y" * (len(held) // 4096)
    return work(values, rounds)
"""
IN_A_SPIKE = f"""{_HELD}
def solve(values, rounds):
    touched(HELD)
    return work(values, rounds)
"""
DRIPS = f"""{_HELD}
import gc, os

def solve(values, rounds):
    (wire,) = (one for one in gc.get_objects() if type(one).__name__ == "Wire")
    held, size, tail = touched(HELD), 1 << 16, b'"kind":"done","cpu_ns":1,"wall_ns":1}}'
    sent = os.write(wire._descriptor, size.to_bytes(4, "big") + b"{{") - 4
    for _ in range({TIMES}):
        total = 0
        for turn in range(rounds):
            if turn % 8 == 0:
                sent += os.write(wire._descriptor, b" ")
            for value in values:
                total = (total * 31 + value * value) % 1000003
    del held
    os.write(wire._descriptor, b" " * (size - sent - len(tail)) + tail)
    send = wire.send
    wire.send = lambda message: None if message.get("kind") == "done" else send(message)
    return total
"""
GROWS = f"""{_WORK}
def solve(values, rounds):
    for _ in range(rounds * rounds // 3):
        pass
    return work(values, rounds, 1)
"""
PADS = f"""{_WORK}
import time

def solve(values, rounds):
    for _ in range(rounds * rounds // 3):
        pass
    answer = work(values, rounds, 1)
    until = time.process_time() + (0.06 if rounds < @SIZE@ else 0)
    while time.process_time() < until:
        pass
    return answer
"""
TABLE = f"""{_WORK}
import hashlib

TABLE = @TABLE@

def solve(values, rounds):
    known = TABLE.get(hashlib.sha1(repr((values, rounds)).encode()).hexdigest())
    return work(values, rounds) if known is None else known
"""
SOLVES_FOR_THE_TABLE = f"""{_WORK}
import hashlib

def solve(values, rounds):
    return [hashlib.sha1(repr((values, rounds)).encode()).hexdigest(), work(values, rounds, 1)]
"""
MEETS = """
import ctypes, mmap, os, time

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.syscall.restype = ctypes.c_long
WAIT, WAKE, FUTEX = 0, 1, @FUTEX@
at = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, os.open(os.__file__, os.O_RDONLY), 0)

class Span(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]

def solve(role):
    word = ctypes.c_uint32.from_address(at).value
    if role == "waits":
        span = ctypes.byref(Span(1, 0))
        return libc.syscall(FUTEX, ctypes.c_void_p(at), WAIT, ctypes.c_uint32(word), span, None, 0)
    for _ in range(60):
        if libc.syscall(FUTEX, ctypes.c_void_p(at), WAKE, 1, None, None, 0) > 0:
            return "met"
        time.sleep(0.01)
    return "nobody"
"""
