"""The simulated server behind HTTP, on real time: one asyncio process that passes for a loaded engine.

- ``simulation``: what is served; ``service`` and ``chat_requests``: where requests go;
- ``connection`` and ``listening``: the bytes; ``live``: the clock;
- ``profile``, ``style``, ``pages``, ``metric_pages``: how one engine looks from outside;
- ``asked``, ``prompt``, ``answers``, ``sayings``: what is asked and answered;
- ``answering``, ``chat_writer``, ``ollama_writer``: one answer on its way; ``faults``: what goes wrong;
- ``truth``: what is true, for tests. Every answer says that it is simulated.
"""

from joulemark.simulate.http.answers import Manner
from joulemark.simulate.http.faults import Fault, FaultSchedule, parse_fault, read_faults
from joulemark.simulate.http.profile import PROFILES, Profile, profile_named
from joulemark.simulate.http.sayings import KINDS, Known
from joulemark.simulate.http.service import Service
from joulemark.simulate.http.simulation import Simulation

__all__ = [
    "KINDS",
    "PROFILES",
    "Fault",
    "FaultSchedule",
    "Known",
    "Manner",
    "Profile",
    "Service",
    "Simulation",
    "parse_fault",
    "profile_named",
    "read_faults",
]
