"""The script file of the fake library: the structures of fake_nvml.c, field by field."""

from __future__ import annotations

import ctypes as c

MAGIC, VERSION = 0x4A4D4E56, 3
MAX_PROCESSES, MAX_FAULTS, MAX_THROTTLES, MAX_FUNCTIONS = 32, 64, 64, 64
NEVER_NS = 2**63 - 1

FUNCTIONS = (
    "FieldValues",
    "TotalEnergyConsumption",
    "PowerUsage",
    "ViolationStatus",
    "EventReasons",
    "ThrottleReasons",
    "Temperature",
    "ClockInfo",
    "UtilizationRates",
    "MemoryInfo",
    "FanSpeed",
    "PerformanceState",
    "EnforcedPowerLimit",
    "PowerLimitConstraints",
    "Architecture",
    "PciInfo",
    "Name",
    "UUID",
    "MigMode",
    "ComputeProcesses",
    "GraphicsProcesses",
    "Index",
    "ComputeProcesses2",
    "VirtualizationMode",
    "PowerManagementLimit",
    "DefaultPowerLimit",
    "SetPowerLimit",
)


class Segment(c.Structure):
    _fields_ = [("t_ns", c.c_int64), ("w0", c.c_double), ("w1", c.c_double), ("e0_j", c.c_double)]


class Fault(c.Structure):
    _fields_ = [
        ("kind", c.c_uint32),
        ("id", c.c_uint32),
        ("scope", c.c_int32),
        ("code", c.c_uint32),
        ("from_ns", c.c_int64),
        ("to_ns", c.c_int64),
    ]


class Throttle(c.Structure):
    _fields_ = [("reason", c.c_uint32), ("pad", c.c_uint32), ("from_ns", c.c_int64), ("to_ns", c.c_int64)]


class Board(c.Structure):
    _fields_ = [
        ("uuid", c.c_char * 96),
        ("name", c.c_char * 96),
        ("architecture", c.c_uint32),
        ("pci_device_id", c.c_uint32),
        ("memory_total_b", c.c_uint64),
        ("memory_used_b", c.c_uint64),
        ("limit_mw", c.c_uint32),
        ("limit_min_mw", c.c_uint32),
        ("limit_max_mw", c.c_uint32),
        ("temperature_c", c.c_uint32),
        ("sm_clock_mhz", c.c_uint32),
        ("memory_clock_mhz", c.c_uint32),
        ("gpu_util_pct", c.c_uint32),
        ("fan_pct", c.c_uint32),
        ("pstate", c.c_uint32),
        ("extra_reasons", c.c_uint32),
        ("mig_mode", c.c_int32),
        ("n_mig", c.c_uint32),
        ("counter_period_ns", c.c_int64),
        ("counter_phase_ns", c.c_int64),
        ("counter_jitter_ns", c.c_int64),
        ("gauge_period_ns", c.c_int64),
        ("average_window_ns", c.c_int64),
        ("usage_window_ns", c.c_int64),
        ("seed", c.c_uint64),
        ("quantum_mj", c.c_uint64),
        ("modulus_mj", c.c_uint64),
        ("base_j", c.c_double),
        ("gain", c.c_double),
        ("reset_at_ns", c.c_int64),
        ("freeze_from_ns", c.c_int64),
        ("freeze_to_ns", c.c_int64),
        ("backwards_at_ns", c.c_int64),
        ("lost_at_ns", c.c_int64),
        ("backwards_j", c.c_double),
        ("module_extra_w", c.c_double),
        ("gauge_gain", c.c_double),
        ("virtualization_mode", c.c_int32),
        ("freeze_gauge", c.c_uint32),
        ("gpu_scope", c.c_uint32),
        ("module_scope", c.c_uint32),
        ("n_compute", c.c_uint32),
        ("n_graphics", c.c_uint32),
        ("compute", c.c_uint32 * MAX_PROCESSES),
        ("graphics", c.c_uint32 * MAX_PROCESSES),
        ("faults", Fault * MAX_FAULTS),
        ("throttles", Throttle * MAX_THROTTLES),
        ("call_latency_ns", c.c_int64),
        ("loop_ns", c.c_int64),
        ("n_segments", c.c_uint64),
        ("segments_offset", c.c_uint64),
        ("calls", c.c_uint64 * MAX_FUNCTIONS),
        ("limit_default_mw", c.c_uint32),
        ("n_limits_set", c.c_uint32),
    ]


class Header(c.Structure):
    _fields_ = [
        ("magic", c.c_uint32),
        ("version", c.c_uint32),
        ("n_boards", c.c_uint32),
        ("init_error", c.c_uint32),
        ("virtual_time", c.c_uint32),
        ("board_size", c.c_uint32),
        ("virtual_now_ns", c.c_int64),
        ("start_ns", c.c_int64),
        ("driver", c.c_char * 96),
        ("inits", c.c_uint64),
        ("shutdowns", c.c_uint64),
        ("boards_offset", c.c_uint64),
    ]
