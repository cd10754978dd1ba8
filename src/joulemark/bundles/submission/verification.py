"""What came of verifying a bundle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from joulemark.bundles.submission.stated import stated_figures
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary

CHECKS = (
    "limits",
    "structure",
    "hashes",
    "signature",
    "schema",
    "ids",
    "stamps",
    "overlap",
    "verdicts",
    "recompute",
    "figures",
)
"""What is checked, in order; what a failed one makes pointless is not looked at."""
ORIGIN = (
    "A signature proves where a bundle comes from, not that what it says is true: whoever measured could have"
    " made the readings and the verdicts up. Correctness is as reported until it is challenged."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that failed, and why."""

    check: str
    why: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure that is not as stated."""

    place: str
    stated: Any
    recomputed: Any


@dataclass(frozen=True, slots=True)
class Verification:
    """``passed`` and ``findings`` are of `CHECKS`; what stands in neither was not reached.

    ``summary`` and ``view`` are recomputed from answers and readings, null where this could not be done.
    ``public_key`` is the signer's, null where the signature is not valid.
    """

    digest: str
    passed: tuple[str, ...]
    findings: tuple[Finding, ...]
    summary: Summary | None = None
    view: RunView | None = None
    differences: tuple[Difference, ...] = ()
    public_key: str | None = None
    joulemark_version: str | None = None
    source_hash: str | None = None
    is_same_source: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain values, unrounded: every figure as it was recomputed."""
        failed = {finding.check for finding in self.findings}
        tier_reason = None if self.summary is None else self.summary.tier_reason
        return {
            "digest": self.digest,
            "verified": self.verified,
            "checks": {
                check: "failed" if check in failed else "passed" if check in self.passed else "not reached"
                for check in CHECKS
            },
            "findings": [{"check": one.check, "why": one.why} for one in self.findings],
            "signature_proves": ORIGIN,
            "public_key": self.public_key,
            "joulemark_version": self.joulemark_version,
            "source_hash": self.source_hash,
            "is_same_source": self.is_same_source,
            "measurement_tier": None if self.summary is None else self.summary.measurement_tier,
            "tier_reason": None if tier_reason is None else tier_reason.value,
            "caveats": []
            if self.summary is None
            else [{"code": one.code, "text": one.text, "loud": one.loud} for one in self.summary.caveats],
            "recomputed": None if self.summary is None else stated_figures(self.summary),
            "stated_otherwise": [
                {"figure": one.place, "stated": one.stated, "recomputed": one.recomputed}
                for one in self.differences
            ],
        }

    @property
    def verified(self) -> bool:
        """Whether every check passed."""
        return not self.findings and len(self.passed) == len(CHECKS)
