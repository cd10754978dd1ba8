"""What an engine says of its own batch, as a source of telemetry: no energy, so no meter and no test.

- `dialect`: by which names each engine shows it; `page`: what of it stands on a page of metrics;
- `slots`: llama.cpp's list of its slots, where its metrics are off;
- `account`: where the page is, and fetching it; `finding`: whether the engine has one; `source`: reading it.
"""

from joulemark.meters.engine_gauges.finding import EngineAddress, find_engine_gauges
from joulemark.meters.engine_gauges.source import ENGINE_SOURCE, KIND, PERIOD_S, open_engine_gauges

__all__ = [
    "ENGINE_SOURCE",
    "KIND",
    "PERIOD_S",
    "EngineAddress",
    "find_engine_gauges",
    "open_engine_gauges",
]
