"""What ended the asking of a run: a rule, or somebody who could see the answers.

To end a run when it looks good is to choose its figures, and so is to name a rule that what was answered
already meets. What was known at such a choice counts for less the more is asked after it: once there are
`OUTWEIGHED` times as many questions, an error that the choice picked out is a fourth of what it was, half of
the standard error then.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.record.manifest import Manifest, StopFacts

OUTWEIGHED = 4
"""Times as many questions as were known at a choice: then nothing more is said of it."""
AGAINST = "decided against "
"""How a target begins that compares the run with another one."""


def named_late(rule: StopFacts) -> int:
    """Return how many questions had been asked when a rule was named that ended a run not long after; else 0.

    A run that was made before this was written down is taken to have had its rule from the first on.
    """
    known, ended = rule.named_at or 0, rule.stopped
    return known if ended is not None and ended.at < OUTWEIGHED * known else 0


def ended_by_hand(manifest: Manifest) -> bool:
    """Tell whether a run was interrupted, and the rule that is said to have ended it was named only then."""
    by_hand, ruled = False, 0
    for rule in _rules(manifest):
        # where a rule had ended it, at a number that nobody chose, there is nothing to hide
        by_hand = named_late(rule) > ruled
        if not by_hand and rule.stopped is not None:
            ruled = rule.stopped.asked
    return by_hand and manifest.stop is not None and manifest.stop.stopped is not None


def passed_ends(manifest: Manifest, asked: int) -> tuple[int, ...]:
    """Return at how many questions rules had ended a run that was asked on, and has ``asked`` by now.

    Whoever went on could have left it there: to choose the last of several ends is to look again and again.
    An end counts until what came since outweighs it, or everything was asked.
    """
    if asked >= manifest.task.n_items:
        return ()
    ends = {rule.stopped.asked for rule in manifest.earlier_stops if rule.stopped is not None}
    return tuple(sorted(end for end in ends if end < asked < OUTWEIGHED * end))


def decision(manifest: Manifest, asked: int) -> StopFacts | None:
    """Return the decision that led to the figures of ``asked`` questions, which are rather too large then.

    An earlier one counts until what came since outweighs it, or everything was asked.
    """
    stop = manifest.stop
    if stop is not None and stop.stopped is not None and _decides(stop):
        return stop
    if asked >= manifest.task.n_items:
        return None
    return next((one for one in reversed(manifest.earlier_stops) if _led_to(one, asked)), None)


def _led_to(rule: StopFacts, asked: int) -> bool:
    return rule.stopped is not None and _decides(rule) and asked < OUTWEIGHED * rule.stopped.asked


def _decides(rule: StopFacts) -> bool:
    """Tell whether a rule, as the manifest has it, asks on which side of something a figure lies."""
    return any(" > " in text or " < " in text or text.startswith(AGAINST) for text in rule.targets)


def _rules(manifest: Manifest) -> Iterator[StopFacts]:
    yield from manifest.earlier_stops
    if manifest.stop is not None:
        yield manifest.stop
