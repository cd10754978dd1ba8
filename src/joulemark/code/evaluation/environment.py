"""The machine and the containment that programs ran in. Figures rank only within one environment."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

from joulemark.code.contain.containment import Containment
from joulemark.record.manifest import Host
from joulemark.runs.host import host_facts

_CORES = "/sys/devices/system/cpu/cpu{}/topology/core_cpus_list"


class Environment(BaseModel):
    """What a program's time depends on beside itself; ``environment_id`` is its hash.

    ``bubblewrap``: whether ``bwrap`` makes the namespaces. ``missing``: what is not contained, in words.
    """

    model_config = ConfigDict(extra="forbid")

    host: Host
    implementation: str
    python: str
    compiler: str
    namespaces: bool
    landlock: bool
    seccomp: bool
    per_run: bool
    bubblewrap: bool = False
    missing: list[str] = Field(default_factory=list)

    @property
    def environment_id(self) -> str:
        """Return a hash of all that would change a program's time: facts, none of the words about them."""
        facts = self.model_dump(mode="json", exclude={"missing": True, "host": {"reasons"}})
        return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    @field_validator("bubblewrap", mode="before")
    @classmethod
    def _is_used(cls, value: object) -> bool:
        """Take the path that records of before hold."""
        return bool(value)


def environment_of(containment: Containment) -> Environment:
    """Describe this machine, its interpreter and how programs are held."""
    return Environment(
        host=host_facts(),
        implementation=platform.python_implementation(),
        python=platform.python_version(),
        compiler=platform.python_compiler(),
        namespaces=containment.namespaces,
        landlock=containment.landlock,
        seccomp=containment.seccomp,
        per_run=containment.per_run,
        bubblewrap=containment.bubblewrap is not None,
        missing=list(containment.missing),
    )


def physical_cores(allowed: set[int]) -> list[int]:
    """Return one processor number of each physical core that may be used, ascending."""
    chosen: dict[str, int] = {}
    for number in sorted(allowed):
        try:
            siblings = Path(_CORES.format(number)).read_text().strip()
        except OSError:
            siblings = str(number)
        chosen.setdefault(siblings, number)
    return sorted(chosen.values())
