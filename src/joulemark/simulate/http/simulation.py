"""What is served: an engine's outside, a server's inside, answers, faults and a meter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.http.answers import Manner
from joulemark.simulate.http.faults import FaultSchedule
from joulemark.simulate.http.profile import Profile
from joulemark.simulate.http.sayings import Known

MOST_CONTEXT = 131_072
"""The longest context that is offered, in tokens, whatever the memory holds."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is served.

    ``known`` are the questions of a task by their text; ``speed`` is how many times faster than the clock the
    server lives; ``meter_interval_s`` how often the exporter's page is renewed. ``tokens_a_chunk`` null takes
    the profile's.
    """

    profile: Profile
    config: ServerConfig
    known: Mapping[str, Known] = field(default_factory=dict)
    manner: Manner = field(default_factory=Manner)
    faults: FaultSchedule = field(default_factory=FaultSchedule)
    speed: float = 1.0
    meter_interval_s: float = 0.1
    tokens_a_chunk: int | None = None

    @property
    def context(self) -> int:
        """The longest prompt and answer together."""
        return min(MOST_CONTEXT, self.config.kv_capacity_tokens)
