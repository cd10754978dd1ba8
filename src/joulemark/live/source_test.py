"""Find sources and put them through their self-test; whatever a driver does, it ends in a verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from joulemark.meters.discovery import discover, open_source
from joulemark.meters.machine_load import MACHINE_SOURCE, machine_spec
from joulemark.meters.qualification import qualify
from joulemark.meters.source import Finding, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import JoulemarkError
from joulemark.record.meter import Qualification, QualifiedSource, Trust

# Kinds that are the kernel's own accounts: no energy meters, and nothing to compare them with.
ACCOUNTS = frozenset({"process", "machine"})
NO_READING = "it gave no reading"


def find_tested(
    meters: Sequence[str],
    *,
    engine_pid: int | None,
    clock: Clock,
    test_s: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[list[tuple[SourceSpec, QualifiedSource]], list[Finding]]:
    """Return the sources that ``meters`` (as of `discover`) names, tested side by side, and what is absent.

    The machine's load is among the sources, and the process tree of ``engine_pid`` where that is given. A
    source that failed its test is one of them. An absent finding has its ``why``; it keeps its ``spec`` where
    it was there and could not be opened. ``progress`` is told what is being done. Raises as `discover` and
    `tested` do.
    """
    tell = progress or (lambda _message: None)
    tell("looking for meters")
    findings = discover(meters, engine_pid=engine_pid)
    if sys.platform.startswith("linux"):
        load = "the load of the whole machine (no energy)"
        findings.append(Finding("machine", MACHINE_SOURCE, load, spec=machine_spec()))
    absent = [finding for finding in findings if finding.spec is None]
    there = [(finding, finding.spec) for finding in findings if finding.spec is not None]
    energy = [finding.name for finding, _ in there if finding.kind not in ACCOUNTS]
    tell(f"testing {', '.join(energy)}" if energy else "no meter answers")
    with ThreadPoolExecutor(max_workers=max(1, len(there))) as pool:
        tests = list(pool.map(lambda one: tested(one[1], clock, duration_s=test_s), there))
    sources = []
    for (finding, spec), test in zip(there, tests, strict=True):
        if isinstance(test, QualifiedSource):
            sources.append((spec, test))
        else:
            absent.append(replace(finding, why=test.reason or NO_READING))
    return sources, absent


def tested(
    spec: SourceSpec,
    clock: Clock,
    *,
    duration_s: float | None = None,  # noqa: PT028 - no test of the suite
) -> QualifiedSource | Qualification:
    """Return the source with its test; the test alone (``absent``, with why) where it cannot be opened.

    Takes some seconds for a meter, ``duration_s`` where it is given; an account of the kernel's is believed
    as it is.
    Raises `InputError` for a recorded trace that cannot be read.
    """
    try:
        source = open_source(spec)
        try:
            if spec.kind in ACCOUNTS:
                return QualifiedSource(source.info, Qualification(Trust.QUALIFIED))
            if duration_s is None:
                return QualifiedSource(source.info, qualify(source, clock))
            longest_s = 2.5 * duration_s  # the share of `qualify`'s own times
            test = qualify(source, clock, duration_s=duration_s, max_duration_s=longest_s)
            return QualifiedSource(source.info, test)
        finally:
            source.close()
    except JoulemarkError:
        raise
    except Exception as error:  # a driver may fail in any way; the run goes on with the other meters
        return Qualification(Trust.ABSENT, str(error) or type(error).__name__)
