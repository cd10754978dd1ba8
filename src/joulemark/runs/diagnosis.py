"""What `doctor` knows: each source that discovery found or missed, with its self-test."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from joulemark.live.source_test import tested
from joulemark.meters.configured import configured_meters
from joulemark.meters.discovery import discover
from joulemark.meters.source import Finding
from joulemark.record.clock import SystemClock
from joulemark.record.manifest import Host
from joulemark.record.meter import Qualification, Trust
from joulemark.record.replayed import REPLAY
from joulemark.record.simulated import is_simulated_board
from joulemark.runs.host import host_facts


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The machine and its sources; a finding's test is null where it was not tested or cannot be.

    ``kept`` are the meters on file, as they were named.
    """

    host: Host
    sources: tuple[tuple[Finding, Qualification | None], ...]
    kept: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is a source that is not known to be useless."""
        return any(_is_usable(finding, test) for finding, test in self.sources)

    @property
    def all_usable(self) -> bool:
        """Whether every source that was looked for is there and not known to be useless."""
        return all(_is_usable(finding, test) for finding, test in self.sources)

    @property
    def silent(self) -> tuple[Finding, ...]:
        """The meters on file that cannot be read."""
        return tuple(f for f, test in self.sources if f.meter in self.kept and not _is_usable(f, test))

    @property
    def worth_keeping(self) -> tuple[str, ...]:
        """The meters named by address that passed their test and are not on file.

        Neither a trace nor a simulated board is among them.
        """
        named = dict.fromkeys(f.meter for f, _ in self.sources if f.meter and f.kind != REPLAY)
        for meter in self.simulated:
            named.pop(meter, None)
        return tuple(meter for meter in named if meter not in self.kept and self._passed(meter))

    @property
    def simulated(self) -> tuple[str, ...]:
        """The meters named by address that show a simulated board."""
        return tuple(dict.fromkeys(f.meter for f, _ in self.sources if f.meter and is_simulated(f)))

    def _passed(self, meter: str) -> bool:
        tests = [test for finding, test in self.sources if finding.meter == meter]
        return all(test is not None and test.trust is Trust.QUALIFIED for test in tests)

    def to_json(self) -> dict[str, object]:
        """Return plain JSON values; device identities are left out."""
        sources = []
        for finding, test in self.sources:
            info = finding.info
            sources.append(
                {
                    "kind": finding.kind,
                    "on_file": finding.meter in self.kept,
                    "name": finding.name,
                    "measures": finding.measures,
                    "simulated": is_simulated(finding),
                    "scope": str(info.scope) if info else None,
                    "quantities": list(info.quantities) if info else [],
                    "notes": list(info.notes) if info else [],
                    "qualification": asdict(test) if test else None,
                    "why": finding.why or None,
                    "fix": finding.fix or None,
                }
            )
        return {"usable": self.usable, "host": self.host.model_dump(), "sources": sources}


def is_simulated(finding: Finding) -> bool:
    """Tell whether a source shows a simulated board."""
    return finding.info is not None and is_simulated_board(finding.info)


def _is_usable(finding: Finding, test: Qualification | None) -> bool:
    return finding.spec is not None and (test is None or test.trust is not Trust.ABSENT)


def diagnose(meters: Sequence[str], *, test: bool = True) -> Diagnosis:
    """Find every source and, with ``test``, put each through its self-test, side by side."""
    findings = discover(meters)
    with ThreadPoolExecutor(max_workers=max(1, len(findings))) as pool:
        tests = list(pool.map(_test if test else _untested, findings))
    kept = tuple(configured_meters()) if any(finding.meter for finding in findings) else ()
    return Diagnosis(host_facts(), tuple(zip(findings, tests, strict=True)), kept)


def _untested(_finding: Finding) -> Qualification | None:
    return None


def _test(finding: Finding) -> Qualification | None:
    if finding.spec is None:
        return None
    found = tested(finding.spec, SystemClock())
    return found if isinstance(found, Qualification) else found.qualification
