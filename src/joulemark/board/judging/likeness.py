"""A run against accepted ones of the same make: what stands out by more than its kind differs.

Medians of logarithms, so that a factor up is as far as one down, and absolute deviations from them (MAD), so
that no few runs move either. A signer counts once, with the median of its runs, and never for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.board.judging.facts import RunFacts
from joulemark.board.judging.fingerprint import fingerprint_grounds
from joulemark.board.judging.ground import Ground

MIN_SIGNERS = 5
"""Fewer independent signers prove nothing: three of five are needed to move a median."""
DEVIATIONS = 6.0
"""Robust standard deviations (1.4826 MAD) that a run may be off."""
SAME_LENGTHS = 1.25
"""How far mean prompt and answer may differ (as a factor) between runs that do the same work."""
SAME_LIMIT = 0.02
REPRODUCED_WITHIN = 1.25
"""Two boards of one kind (RTX 3090) were seen to differ by 22 % at the same work."""
ACCURACY_APART, ACCURACY_ERRORS = 0.15, 3.0
"""Points of accuracy, and binomial standard errors, beyond which answers to the same questions are
graded apart. These share what is hard about them, so they differ by less than independent ones."""
_SIGMA_OF_MAD = 1.4826
_LARGEST_LOG = 30.0  # a factor beyond it is not told to the last digit

Measure = Callable[[RunFacts], float | None]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A figure and the factors below and above the others at which it stands out; null: it may."""

    code: str
    title: str
    of: Measure
    least_factor: float | None
    most_factor: float | None
    only_same_settings: bool = False


def _completion_tokens(facts: RunFacts) -> float | None:
    return _each(facts.completion_tokens, facts.n_requests)


def _prompt_tokens(facts: RunFacts) -> float | None:
    return _each(facts.prompt_tokens, facts.n_requests)


def _each(total: int | None, n: int) -> float | None:
    return total / n if total is not None and n else None


# An old build of an engine is honestly slow and dear (2.6 times was seen), and draws less: only the other way
# is tight.
_COMPARED = (
    _Compared("energy_unlike", "joules per request", lambda one: one.joules_per_request, 1.5, 3.0),
    _Compared("power_unlike", "watts of mean power", lambda one: one.mean_power_w, None, 1.5),
    _Compared("speed_unlike", "output tokens a second", lambda one: one.tokens_per_second, None, 1.5),
    _Compared("length_unlike", "output tokens per request", _completion_tokens, 1.5, 1.5, True),
)


def likeness_grounds(facts: RunFacts, peers: Sequence[RunFacts]) -> Iterator[Ground]:
    """Yield what of a run stands out from those of others; nothing where fewer than `MIN_SIGNERS` made some.

    ``peers`` are accepted runs of any kind; those that do not compare are left out here.
    """
    if facts.kind != "measured":
        return
    same = [peer for peer in peers if is_same_make(facts, peer)]
    for one in _COMPARED:
        found = _stands_out(one, facts, [p for p in same if _compares(one, facts, p)])
        if found is not None:
            yield found
    yield from fingerprint_grounds(facts, same)
    found = _accuracy(facts, [peer for peer in same if peer.config_hash == facts.config_hash])
    if found is not None:
        yield found


def is_same_make(facts: RunFacts, peer: RunFacts) -> bool:
    """Tell whether a measured run of another signer has the same device, model, engine kind and load."""
    return (
        peer.kind == "measured"
        and peer.signer != facts.signer
        and facts.device is not None
        and _make(facts) == _make(peer)
        and _same_limit(facts.power_limit_w, peer.power_limit_w)
    )


def reproduces(facts: RunFacts, peer: RunFacts) -> bool:
    """Tell whether another signer's run of the same configuration came to the same energy per request.

    The same within a factor of `REPRODUCED_WITHIN`. Whether one is a copy of the other is for marks to tell.
    """
    if not is_same_make(facts, peer) or facts.config_hash != peer.config_hash or facts.tier is None:
        return False
    ours, theirs = facts.joules_per_request, peer.joules_per_request
    return ours is not None and theirs is not None and _is_within(ours, theirs, REPRODUCED_WITHIN)


def _make(facts: RunFacts) -> tuple[object, ...]:
    return (
        facts.device,
        facts.n_devices,
        facts.model.casefold().rpartition("/")[2],
        (facts.quantization or "").casefold(),
        facts.engine,
        facts.scope,
        facts.load,
        facts.concurrency,
        facts.rate,
    )


def _same_limit(one_w: float | None, other_w: float | None) -> bool:
    if one_w is None or other_w is None:
        return one_w is other_w
    return abs(one_w - other_w) <= SAME_LIMIT * max(one_w, other_w)


def _compares(one: _Compared, facts: RunFacts, peer: RunFacts) -> bool:
    """Tell whether the two did the same work, as far as this figure asks for it."""
    if peer.config_hash == facts.config_hash:
        return True
    lengths = (
        (_prompt_tokens(facts), _prompt_tokens(peer)),
        (_completion_tokens(facts), _completion_tokens(peer)),
    )
    return not one.only_same_settings and all(
        ours is not None and theirs is not None and _is_within(ours, theirs, SAME_LENGTHS)
        for ours, theirs in lengths
    )


def _is_within(one: float, other: float, factor: float) -> bool:
    return one > 0 and other > 0 and 1 / factor <= one / other <= factor


def _stands_out(one: _Compared, facts: RunFacts, peers: Sequence[RunFacts]) -> Ground | None:
    own = one.of(facts)
    values = _by_signer(peers, one.of, math.log)
    if own is None or own <= 0 or len(values) < MIN_SIGNERS:
        return None
    middle, spread = _middle(values)
    apart = math.log(own) - middle
    tight = one.least_factor if apart < 0 else one.most_factor
    if tight is None:
        return None
    limit = max(math.log(tight), DEVIATIONS * spread)
    if abs(apart) <= limit:
        return None
    way = "below" if apart < 0 else "above"
    return Ground(
        one.code,
        f"With {own:,.4g} {one.title} it is at {_factor(apart)} times the median ({math.exp(middle):,.4g}) "
        f"of {len(values)} other signers with the same device, model, engine and load; a factor of "
        f"{_factor(limit)} {way} it is how far runs of this kind differ.",
    )


def _factor(logarithm: float) -> str:
    return f"{math.exp(min(logarithm, _LARGEST_LOG)):,.2f}"


def _accuracy(facts: RunFacts, peers: Sequence[RunFacts]) -> Ground | None:
    if not facts.n_scored:
        return None
    values = _by_signer(peers, lambda one: one.n_correct / one.n_scored if one.n_scored else None, float)
    if len(values) < MIN_SIGNERS:
        return None
    middle, spread = _middle(values)
    own = facts.n_correct / facts.n_scored
    error = math.sqrt(max(middle * (1 - middle), 0.25 / facts.n_scored) / facts.n_scored)
    if abs(own - middle) <= max(ACCURACY_APART, ACCURACY_ERRORS * error, DEVIATIONS * spread):
        return None
    return Ground(
        "accuracy_unlike",
        f"{100 * own:.1f} % of its answers are graded correct, and with the same settings {len(values)} "
        f"other signers had {100 * middle:.1f} % (median): its verdicts are for a challenge to show.",
    )


def _by_signer(peers: Sequence[RunFacts], of: Measure, scale: Callable[[float], float]) -> list[float]:
    """Return one value a signer: the median of what its runs come to, on the scale."""
    found: dict[str, list[float]] = {}
    for peer in peers:
        value = of(peer)
        if value is not None and (value > 0 or scale is float):
            found.setdefault(peer.signer, []).append(scale(value))
    return [float(np.median(values)) for values in found.values()]


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """Return median and robust standard deviation."""
    middle = float(np.median(values))
    return middle, _SIGMA_OF_MAD * float(np.median(np.abs(np.array(values) - middle)))
