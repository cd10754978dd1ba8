"""The system calls a program under test may make: a list of those allowed, by seccomp (Linux 3.17).

Not on it: new processes, other namespaces, networks, tracing, keys, kernel modules, performance counters,
what makes memory that no limit of a process counts (anonymous shared memory, files in memory, locks, large
buffers of sockets, descriptors on their way through one), and what tells or changes which pages of a file the
machine holds: those are memory from one run to the next (``mincore``, ``fadvise64``).
Threads are allowed. A call that is not on the list fails with ``EPERM`` and the program goes on.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from dataclasses import dataclass

from joulemark.code.inside.system import PR_SET_SECCOMP, machine, prctl

_FILTER_MODE = 2
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 1, "aarch64": 2}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_CLONE_THREAD = 0x00010000
_NEW_NAMESPACES = 0x7E020080  # the flags of `clone` that make namespaces
_FIRST_UNKNOWN = 450  # newer calls than the list knows: the C library is told that there are none

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_ABOVE, _JUMP_IF_ANY = 0x20, 0x15, 0x35, 0x25, 0x45
_AND = 0x54
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_KILL = 0x80000000
_NUMBER, _ARCH, _ARGUMENT_0 = 0, 4, 16  # offsets in ``struct seccomp_data``

_SHARED_AND_ANONYMOUS, _HUGE_PAGES = 0x21, 0x40000  # flags of ``mmap``
_ADVICE_TO_SWAP = (20, 21)  # it would hide memory from what is resident
_LIMIT_OF_CPU, _REAL_TIMER = 0, 0
_AF_UNIX = 1
_STREAMS = (1, 0x801, 0x80001, 0x80801)  # with its flags; datagrams hold more than a buffer's size
_CLOCKS = (0, 1, 7, 11)  # to sleep by: of the day, monotonic, since boot, atomic; none of CPU time
_PRIVATE, _BY_THE_DAY = 128, 256
_FUTEXES = (
    *(0, 9, 9 | _BY_THE_DAY),  # to wait for a thread's end, which the kernel tells as a shared one
    *(_PRIVATE | operation for operation in range(14)),
    *(_PRIVATE | _BY_THE_DAY | operation for operation in (9, 11)),
)
"""None that wakes by a page of a file: two processes that map one library would meet there."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_ATTRIBUTES = {"chmod", "fchmod", "fchmodat", "utime", "utimes", "utimensat", "futimesat"}
_CHANGES = {
    *("creat", "openat2", "truncate", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir"),
    *("unlink", "unlinkat", "link", "linkat", "symlink", "symlinkat"),
}

# name : number on x86_64 : number on aarch64
_ALLOWED = """
read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70
open:2:- openat:257:56 openat2:437:437 creat:85:- close:3:57 close_range:436:436 stat:4:- fstat:5:80
lstat:6:- newfstatat:262:79 statx:332:291 lseek:8:62 mmap:9:222 munmap:11:215 mprotect:10:226
mremap:25:216 madvise:28:233 brk:12:214 msync:26:227 poll:7:- ppoll:271:73 select:23:-
pselect6:270:72 epoll_create:213:- epoll_create1:291:20 epoll_ctl:233:21 epoll_wait:232:-
epoll_pwait:281:22 epoll_pwait2:441:441 dup:32:23 dup2:33:- dup3:292:24 pipe:22:- pipe2:293:59
fcntl:72:25 fsync:74:82 fdatasync:75:83 ftruncate:77:46 truncate:76:45 fallocate:285:47
getdents:78:- getdents64:217:61 getcwd:79:17 chdir:80:49 fchdir:81:50 rename:82:-
renameat:264:38 renameat2:316:276 mkdir:83:- mkdirat:258:34 rmdir:84:- unlink:87:- unlinkat:263:35
link:86:- linkat:265:37 symlink:88:- symlinkat:266:36 readlink:89:- readlinkat:267:78 chmod:90:-
fchmod:91:52 fchmodat:268:53 umask:95:166 access:21:- faccessat:269:48 faccessat2:439:439 utime:132:-
utimes:235:- utimensat:280:88 futimesat:261:- statfs:137:43 fstatfs:138:44 sendfile:40:71
copy_file_range:326:285 getpid:39:172 getppid:110:173 gettid:186:178 getuid:102:174 geteuid:107:175
getgid:104:176 getegid:108:177 getresuid:118:148 getresgid:120:150 getgroups:115:158 getpgid:121:155
getpgrp:111:- getsid:124:156 setsid:112:157 setpgid:109:154 sysinfo:99:179 uname:63:160 getrusage:98:165
getrlimit:97:163 setrlimit:160:164 prlimit64:302:261 times:100:153 time:201:- gettimeofday:96:169
clock_gettime:228:113 clock_getres:229:114 clock_nanosleep:230:115 nanosleep:35:101 getitimer:36:102
setitimer:38:103 alarm:37:- pause:34:- timerfd_create:283:85 timerfd_settime:286:86 timerfd_gettime:287:87
rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136
rt_sigsuspend:130:133 rt_sigtimedwait:128:137 sigaltstack:131:132 signalfd4:289:74 eventfd2:290:19
futex:202:98 set_robust_list:273:99 get_robust_list:274:100 rseq:334:293
set_tid_address:218:96 sched_yield:24:124 sched_getaffinity:204:123 sched_getparam:143:121
sched_getscheduler:145:120 sched_get_priority_max:146:125 sched_get_priority_min:147:126 getcpu:309:168
getpriority:140:141 getrandom:318:278 exit:60:93 exit_group:231:94 restart_syscall:219:128
tgkill:234:131 arch_prctl:158:- membarrier:324:283 wait4:61:260 waitid:247:95
socketpair:53:199 sendto:44:206 recvfrom:45:207 shutdown:48:210 getsockopt:55:209 ioctl:16:29
"""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one argument of a call may be.

    One of ``only`` where there are such, none of ``never``, without ``all_of`` and ``any_of`` (bits).
    """

    argument: int
    only: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    all_of: tuple[int, ...] = ()
    any_of: int = 0


def _rules(process: int, private_files: bool) -> dict[str, tuple[_Rule, ...]]:
    """Return the rules for arguments; ``process``: the only one that may be named.

    A limit or a timer of CPU time would make the kernel keep the process's CPU clock by ticks: it could be
    read from outside before the last ones are on it.
    """
    rules = {
        "mmap": (_Rule(3, all_of=(_SHARED_AND_ANONYMOUS, _HUGE_PAGES)),),
        "madvise": (_Rule(2, never=_ADVICE_TO_SWAP),),
        # duplicate, flags, seals and the size of a pipe; no locks, leases and signals
        "fcntl": (_Rule(1, only=(0, 1, 2, 3, 4, 1030, 1032, 1033, 1034)),),
        # of a terminal: what it is; of a descriptor: bytes that wait, blocking, closing
        "ioctl": (_Rule(1, only=(0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),),
        "futex": (_Rule(1, only=_FUTEXES),),
        "tgkill": (_Rule(0, only=(process,)),),
        "prlimit64": (_Rule(0, only=(0, process)), _Rule(1, never=(_LIMIT_OF_CPU,))),
        "setrlimit": (_Rule(0, never=(_LIMIT_OF_CPU,)),),
        "setitimer": (_Rule(0, only=(_REAL_TIMER,)),),
        "clock_nanosleep": (_Rule(0, only=_CLOCKS),),
        "socketpair": (_Rule(0, only=(_AF_UNIX,)), _Rule(1, only=_STREAMS)),
    }
    if not private_files:
        rules |= {"open": (_Rule(1, any_of=_WRITES),), "openat": (_Rule(2, any_of=_WRITES),)}
    return rules


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def is_known() -> bool:
    """Tell whether the numbers of this machine's system calls are known."""
    return machine() in _AUDIT_ARCH


def allowed() -> dict[str, int]:
    """Return the system calls of this machine that are allowed, by name."""
    column = _COLUMN[machine()]
    rows = (row.split(":") for row in _ALLOWED.split())
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def filter_program(process: int, *, private_files: bool = True, attributes: bool = True) -> bytes:
    """Return the filter for ``process``: the instructions of classic BPF, eight bytes each.

    ``private_files``: all files that can be reached are the program's own or read-only; without that none is
    changed, and nothing is written but to what is open. ``attributes``: so are all devices; without that
    rights and times of files are not changed.
    """
    this = machine()
    refused = (set() if private_files else _CHANGES) | (
        set() if private_files and attributes else _ATTRIBUTES
    )
    numbers = {name: number for name, number in allowed().items() if name not in refused}
    rules = _rules(process, private_files)
    steps = [
        _step(_LOAD, _ARCH),
        _step(_JUMP_IF_EQUAL, _AUDIT_ARCH[this], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    for name, checked in rules.items():
        if name in numbers:
            checks = [*(step for rule in checked for step in _checks(rule)), _step(_RETURN, _ALLOW)]
            steps += [_step(_JUMP_IF_EQUAL, numbers[name], 0, len(checks)), *checks]
    for first, last in _ranges(sorted(number for name, number in numbers.items() if name not in rules)):
        # Below the range the list goes on (skip 2), above it too (skip 1).
        steps += [
            _step(_JUMP_IF_AT_LEAST, first, 0, 2),
            _step(_JUMP_IF_ABOVE, last, 1, 0),
            _step(_RETURN, _ALLOW),
        ]
    steps += [
        _step(_JUMP_IF_AT_LEAST, _FIRST_UNKNOWN, 1, 0),
        _step(_JUMP_IF_EQUAL, _CLONE3, 0, 1),
        _step(_RETURN, _FAIL | errno.ENOSYS),  # the C library then uses `clone`, whose flags can be seen
        _step(_JUMP_IF_EQUAL, _CLONE[this], 0, 4),
        _step(_LOAD, _ARGUMENT_0),
        _step(_JUMP_IF_ANY, _NEW_NAMESPACES, 2, 0),
        _step(_JUMP_IF_ANY, _CLONE_THREAD, 0, 1),
        _step(_RETURN, _ALLOW),
        _step(_RETURN, _FAIL | errno.EPERM),
    ]
    return b"".join(steps)


def restrict(*, private_files: bool = True, attributes: bool = True) -> None:
    """Put the filter on this process for good, after giving up new privileges. Raises ``OSError``."""
    put(filter_program(os.getpid(), private_files=private_files, attributes=attributes))


def put(code: bytes) -> None:
    """Put a filter on this process for good. Raises ``OSError``."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_char_p))
    prctl(PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(program))


def _checks(rule: _Rule) -> list[bytes]:
    """Return the steps that refuse a call by one of its arguments (low half), or go on behind themselves."""
    load, refuse = _step(_LOAD, _ARGUMENT_0 + 8 * rule.argument), _step(_RETURN, _FAIL | errno.EPERM)
    steps = [load]
    if n := len(rule.only):
        steps += [*(_step(_JUMP_IF_EQUAL, value, n - i, 0) for i, value in enumerate(rule.only)), refuse]
    for value in rule.never:
        steps += [_step(_JUMP_IF_EQUAL, value, 0, 1), refuse]
    for bits in rule.all_of:
        steps += [load, _step(_AND, bits), _step(_JUMP_IF_EQUAL, bits, 0, 1), refuse]
    if rule.any_of:
        steps += [load, _step(_JUMP_IF_ANY, rule.any_of, 0, 1), refuse]
    return steps


def _step(operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, constant)


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
