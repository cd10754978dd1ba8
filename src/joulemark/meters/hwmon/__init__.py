"""Energy and power from the kernel's hwmon class: Intel and AMD graphics, Grace, Jetson, power supplies.

``chip`` finds the sensor chips, ``channel`` says what each measures, ``place`` what that covers; ``source``
reads one channel.
"""

from joulemark.meters.hwmon.finding import find_hwmon
from joulemark.meters.hwmon.source import open_hwmon

__all__ = ["find_hwmon", "open_hwmon"]
