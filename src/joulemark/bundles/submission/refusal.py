"""Why something is no bundle, or one that does not verify."""

from __future__ import annotations

from joulemark.record.errors import InputError


class NotABundle(InputError):
    """What was given is no bundle at all: exit 2."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "this is no bundle", why=why, fix="`joulemark bench submit RUN --out FILE` makes one of a run"
        )


class Refusal(Exception):
    """A bundle does not verify. ``check`` is one of `joulemark.bundles.submission.verification.CHECKS`."""

    def __init__(self, check: str, why: str) -> None:
        super().__init__(f"{check}: {why}")
        self.check, self.why = check, why
