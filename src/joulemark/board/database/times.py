"""Times as a board's tables hold them: UTC, ISO 8601 with microseconds, so that texts sort as times do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def utc_now() -> str:
    """Return the time now."""
    return text_of(datetime.now(UTC))


def utc_in(seconds: float) -> str:
    """Return the time so many seconds from now; of a negative number, before now."""
    return text_of(datetime.now(UTC) + timedelta(seconds=seconds))


def text_of(when: datetime) -> str:
    """Return an instant as text."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def of_ns(wall_ns: int) -> str | None:
    """Return nanoseconds since 1970 as text; null for what is no time of this era."""
    seconds, ns = divmod(wall_ns, 10**9)
    if not 0 <= seconds < 2**33:  # the year 2242
        return None
    return text_of(datetime.fromtimestamp(seconds, UTC).replace(microsecond=ns // 1000))
