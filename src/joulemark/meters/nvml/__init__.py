"""NVIDIA boards through the driver's own library, NVML, which is loaded when a board is looked for.

``plan`` asks once what a board can be asked (``field`` and ``calls`` are the two ways of asking); ``source``
reads one board by that plan, through ``driver``, the one door to the library.
"""

from joulemark.meters.nvml.finding import find_nvml
from joulemark.meters.nvml.source import NvmlSource, nvml_spec, open_nvml

__all__ = ["NvmlSource", "find_nvml", "nvml_spec", "open_nvml"]
