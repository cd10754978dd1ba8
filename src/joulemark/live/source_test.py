"""Open a source and put it through its self-test; whatever a driver does, it ends in a verdict."""

from __future__ import annotations

from joulemark.meters.discovery import open_source
from joulemark.meters.qualification import qualify
from joulemark.meters.source import SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.errors import JoulemarkError
from joulemark.record.meter import Qualification, QualifiedSource, Trust

# Kinds that are the kernel's own accounts: no energy meters, and nothing to compare them with.
ACCOUNTS = frozenset({"process", "machine"})


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
