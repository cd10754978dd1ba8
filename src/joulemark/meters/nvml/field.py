"""The memory of one NVML field value, unpacked without pynvml's structures.

Each attribute of those costs a call in Python, and a meter reads several, several times a second.
"""

from __future__ import annotations

from struct import Struct

# nvmlFieldValue_t: fieldId, scopeId, timestamp (µs), latencyUsec, valueType, nvmlReturn, value.
FIELD_VALUE = Struct("@IIqqii8s")
VALUE_TYPES = tuple(Struct(f"@{code}") for code in "dILQqiH")  # members of nvmlValue_t, by nvmlValueType_t
# NVML_VALUE_NOT_AVAILABLE is -1, which an unsigned member shows as its largest value; it comes with success.
_NOT_AVAILABLE = (None, 2**32 - 1, 2 ** (8 * VALUE_TYPES[2].size) - 1, 2**64 - 1, -1, -1, 2**16 - 1)
NO_DATA = 21  # NVML_ERROR_NO_DATA


def number_of(kind: int, data: bytes) -> float | None:
    """Return the value of an answer; null for "not available" and for a type that is not known."""
    if not 0 <= kind < len(VALUE_TYPES):
        return None
    value: float = VALUE_TYPES[kind].unpack_from(data)[0]
    return None if value == _NOT_AVAILABLE[kind] else value


def number_of_call(value: int) -> float | None:
    """Return what a call with an unsigned answer said; null for "not available"."""
    return None if value in (2**32 - 1, 2**64 - 1) else float(value)
