"""The script file of the fake PMU: the structures of fake_perf.c, field by field."""

from __future__ import annotations

import ctypes as c

MAGIC, MAX_EVENTS = 0x4A4D5046, 32
NEVER_NS = 2**62


class Event(c.Structure):
    _fields_ = [
        ("config", c.c_uint64),
        ("cpu", c.c_int32),
        ("open_errno", c.c_int32),
        ("power_w", c.c_double),
        ("running_share", c.c_double),
        ("gain", c.c_double),
        ("update_ns", c.c_int64),
        ("freeze_at_ns", c.c_int64),
        ("reset_at_ns", c.c_int64),
        ("backwards_at_ns", c.c_int64),
        ("gap_from_ns", c.c_int64),
        ("gap_to_ns", c.c_int64),
        ("lost_at_ns", c.c_int64),
        ("backwards_j", c.c_double),
        ("opened", c.c_uint64),
    ]


class Script(c.Structure):
    _fields_ = [
        ("magic", c.c_uint32),
        ("pmu_type", c.c_uint32),
        ("n_events", c.c_uint32),
        ("pad", c.c_uint32),
        ("start_ns", c.c_int64),
        ("events", Event * MAX_EVENTS),
    ]
