"""What is said of programs that pass every test and returned a wrong result where they were timed."""

from __future__ import annotations

from joulemark.metrics.code.sample import Sample
from joulemark.metrics.code.summary import WRONG_ON, CodeSummary

_WHERE = {
    "n_wrong_scaled": "on larger inputs",
    "n_wrong_whole": "with all tests in one process, whose inputs are of the tests' sizes",
    "n_wrong_on_levels": "on the levels of ENAMEL's score",
}
_NO_FIGURE = "its time is in no ratio"


def beyond_tests_note(summary: CodeSummary) -> str | None:
    """Say of how many programs that is so, and where they were wrong; null for none."""
    n = summary.counts["n_wrong_beyond_tests"]
    if not n:
        return None
    where = "; ".join(f"{k} {_WHERE[name]}" for name in WRONG_ON if (k := summary.counts[name]))
    subject = "program passes all tests and is" if n == 1 else "programs pass all tests and are"
    return (
        f"{n} {subject} wrong elsewhere ({where}). What such a program takes is in no mean and no ratio, "
        "which favours it; Beyond counts it as 0, and a cost with runs is withheld. eff@k alone judges by "
        "its own levels."
    )


def beyond_tests_words(sample: Sample) -> str:
    """Say where a program that passes its tests was wrong; empty for one that nowhere was."""
    if not sample.is_wrong_beyond_tests:
        return ""
    where = [_WHERE[name] for name, purposes in WRONG_ON.items() if sample.is_wrong_on(*purposes)]
    return f"but not {' and not '.join(where)}: {_NO_FIGURE}"
