"""What stands beside the cut-off: loss, interval, needed items, self-application, frames, criteria."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.planning.known_task import known_from
from joulemark.frugal.planning.plan import plan
from joulemark.frugal.published.criteria import criteria_of
from joulemark.frugal.published.declared_model import parse_model
from joulemark.frugal.published.frame_study import study_frames
from joulemark.frugal.published.honest import default_target, interval_at, needed_items, wanted_target
from joulemark.frugal.published.loss import loss_at, scale_of
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.projection import OtherModel, project
from joulemark.frugal.published.self_application import Ended, apply_to_itself
from joulemark.frugal.published.shuffles import Floats, shuffles_of
from joulemark.frugal.published.study import Null, study
from joulemark.frugal.published.study_json import study_json
from joulemark.frugal.published.tracking import Slope
from joulemark.frugal.target import parse_targets
from joulemark.record.errors import InputError
from joulemark.report.frugal_cutoff_words import constant_text, note_lines, warning_lines


def coins(n: int, p: float) -> Outcomes:
    values = np.zeros(n)
    values[: round(n * p)] = 1.0
    return Outcomes("coins", "accuracy", values)


def test_the_loss_is_the_error_of_a_random_sample() -> None:
    """Arc-C's .0080 and Hellaswag's .0018 at 40.7 %, by the formula and by fresh orders."""
    for n, p, told in ((2590, 0.769, 0.0080), (49_947, 0.787, 0.0018)):
        outcomes = coins(n, p)
        size = round(0.407 * n)
        loss = loss_at(size, shuffles_of(outcomes.values), outcomes, 4000, seed=0)
        by_hand = math.sqrt(2 / math.pi) * math.sqrt(p * (1 - p) / size * (1 - size / n))
        assert loss.formula == pytest.approx(by_hand, rel=1e-3)
        assert loss.formula == pytest.approx(told, rel=0.03)
        assert loss.absolute == pytest.approx(loss.formula, rel=0.05)
        assert loss.relative == pytest.approx(loss.absolute / p, rel=1e-3)


def test_a_bounded_score_is_brought_to_its_range() -> None:
    values = np.array([-1.0, 0.0, 0.5, 1.0, -0.5] * 40)
    score = Outcomes("bleurt", "score", values, low=-1.5, high=1.0)
    scale = scale_of(score)
    assert (scale.span, scale.origin) == (2.5, -1.5)
    loss = loss_at(80, shuffles_of(values), score, 3000, seed=0)
    assert loss.absolute == pytest.approx(loss.formula, rel=0.06)
    assert loss.relative == pytest.approx(loss.absolute * 2.5 / 1.5)
    cost = Outcomes("cost", "e2el_s", np.abs(values) + 1, low=1.0, high=2.0)
    assert scale_of(cost).origin == 0.0


def test_the_interval_and_the_needed_items_are_the_field_notes() -> None:
    """±1.96 pp at 1,054 of Arc-C; ±1 pp takes 1,877 of them, and 5,704 of Hellaswag."""
    arc, hella = coins(2590, 0.769), coins(49_947, 0.787)
    lo, hi = interval_at(1054, arc)
    assert 50 * (hi - lo) == pytest.approx(1.96, abs=0.02)
    for outcomes, told in ((arc, 1877), (hella, 5704)):
        assert needed_items(default_target(outcomes), outcomes) == pytest.approx(told, rel=0.01)
        assert needed_items(wanted_target("accuracy ±1pp", outcomes), outcomes) == pytest.approx(
            told, rel=0.01
        )


def test_targets_of_other_kinds() -> None:
    rng = np.random.default_rng(0)
    cost = Outcomes("m", "e2el_s", rng.lognormal(0, 1, 4000), 0.0, 60.0)
    assert default_target(cost).relative
    assert needed_items(wanted_target("latency ±5%", cost), cost) == needed_items(default_target(cost), cost)
    balanced = Outcomes("m", "score", np.array([-1.0, 1.0] * 50), -1.0, 1.0)
    assert needed_items(wanted_target("score ±5%", balanced), balanced) is None
    for refused in ("accuracy > 0.7", "joules_per_correct ±5%", "nonsense", "accuracy ±1pp", "joules ±5%"):
        with pytest.raises(InputError):
            wanted_target(refused, cost)
    for refused in ("accuracy ±1pp", "latency ±5%"):
        with pytest.raises(InputError, match="another figure"):
            wanted_target(refused, balanced)


def costs(kind: str) -> Outcomes:
    """1,000 latencies: lognormal ones of a coefficient of variation of 2.5, or nearly all alike."""
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 1.4, 1000) if kind == "heavy" else rng.normal(1, 0.05, 1000)
    return Outcomes(
        kind, "e2el_s", values, float(values.min()), float(values.max()), costs={"e2el_s": values}
    )


@pytest.mark.parametrize(
    ("outcomes", "target", "least"),
    [
        (costs("heavy"), "latency ±15%", 500),
        (costs("alike"), "latency ±5%", 100),
        (coins(2590, 0.769), "accuracy ±1pp", 1877),
        (coins(2590, 0.769), "accuracy ±40pp", 30),
        (Outcomes("m", "score", np.random.default_rng(1).beta(0.2, 0.9, 3000)), "score ±5%", 1000),
    ],
    ids=["heavy", "alike", "share", "wide", "score"],
)
def test_a_target_needs_as_many_as_a_plan_says(outcomes: Outcomes, target: str, least: int) -> None:
    """No fewer than `bench run --stop` believes, and what its interval takes of few and of heavy tails."""
    needed = needed_items(wanted_target(target, outcomes), outcomes)
    assert needed == plan([known_from(outcomes)], parse_targets((target,))).n
    assert needed is not None
    assert needed >= least


def test_the_interval_at_the_needed_items_is_the_target() -> None:
    for outcomes, target in ((costs("heavy"), "latency ±15%"), (coins(2590, 0.3), "accuracy ±2pp")):
        wanted = wanted_target(target, outcomes)
        allowed = wanted.half_width * (float(outcomes.values.mean()) if wanted.relative else 1.0)
        n = needed_items(wanted, outcomes)
        assert n is not None
        (lo, hi), (less, more) = interval_at(n, outcomes), interval_at(n - 1, outcomes)
        assert (hi - lo) / 2 <= allowed * (1 + 1e-9) < (more - less) / 2 * (1 + 1e-9)


def test_a_cost_that_no_target_names_is_not_believed_of_few_either() -> None:
    values = np.random.default_rng(2).normal(100, 1, 1000)
    chars = Outcomes("m", "output_chars", values, 90.0, 110.0)
    assert needed_items(default_target(chars), chars) == 100


def test_self_application_falls_by_the_constant_until_normality_is_lost() -> None:
    found = apply_to_itself(coins(1200, 0.7), Method(shuffles=400))
    assert found.ended is Ended.NOT_NORMAL
    assert found.steps[-1].rejected
    assert not any(step.rejected for step in found.steps[:-1])
    for before, after in zip(found.steps, found.steps[1:], strict=False):
        assert after.n_items == before.n_left
    for step in found.steps:
        assert 0.37 <= step.fraction <= 0.45
        assert step.loss.absolute == pytest.approx(step.loss.formula, rel=0.1)


def test_self_application_keeps_domains_in_proportion() -> None:
    base = coins(800, 0.5)
    domains = tuple("ab"[k % 4 == 0] for k in range(800))
    strata = Outcomes("c", "accuracy", base.values, domains=domains)
    found = apply_to_itself(strata, Method(shuffles=100), stratify=True)
    assert found.steps


def test_the_study_of_frames_has_each_length_or_a_reason() -> None:
    outcomes = coins(2590, 0.769)
    rows = study_frames(outcomes, shuffles_of(outcomes.values), Method(shuffles=150))
    by_share = {row.share: row for row in rows if row.share is not None}
    assert 100 * (by_share[0.01].fraction or 0) == pytest.approx(40.8, abs=0.6)
    assert 100 * (by_share[0.05].fraction or 0) == pytest.approx(40.1, abs=1.5)
    static = {row.length: row for row in rows if row.share is None}
    assert 100 * (static[2500].fraction or 0) == pytest.approx(1.5, abs=0.8)
    small = study_frames(coins(300, 0.5), shuffles_of(coins(300, 0.5).values), Method(shuffles=50))
    assert [row.length for row in small if row.why] == [500, 1000, 2500]


def test_a_run_that_was_asked_a_part_is_one_of_the_task() -> None:
    """As `frugal plan` has it: the target's items, and the interval, are of all that may be asked."""
    part = replace(coins(300, 0.6), n_items=1200, of_run=True)
    found = study(part, Method(shuffles=50))
    assert found.needed_n == study(coins(1200, 0.6), Method(shuffles=50)).needed_n
    assert found.needed_n == plan([known_from(part)], parse_targets(("accuracy ±1pp",))).n
    told = study_json(found)
    assert (told["n_items"], told["n_drawn_from"]) == (300, 1200)
    assert any("300 of the task's 1,200 questions were asked" in note for note in note_lines(found))
    lo, hi = found.interval
    alone = study(coins(300, 0.6), Method(shuffles=50)).interval
    assert hi - lo > alone[1] - alone[0]


@pytest.mark.parametrize(("of_run", "kind"), [(True, "measured"), (False, "from the file")])
def test_a_cost_is_measured_where_a_run_of_ours_says_so(of_run: bool, kind: str) -> None:
    costs = {"e2el_s": np.arange(1.0, 101.0)}
    outcomes = replace(coins(100, 0.6), costs=costs, of_run=of_run)
    found = {one.name: one for one in criteria_of(outcomes, 0.4, Method(shuffles=20))}
    assert found["e2el_s"].kind == kind
    assert found["energy_j"].why == "no column energy_j in the items"


def with_costs() -> Outcomes:
    rng = np.random.default_rng(3)
    base = coins(2000, 0.6)
    seconds = rng.lognormal(0, 0.7, 2000)
    costs = {
        "e2el_s": seconds,
        "usd": np.where(np.arange(2000) % 10 == 0, np.nan, 0.001 * seconds),
        "completion_tokens": np.round(100 * seconds),
        "prompt_tokens": np.full(2000, 50.0),
    }
    return Outcomes("m", "accuracy", base.values, costs=costs, modelled=frozenset({"usd"}))


def test_criteria_have_what_is_saved_or_a_reason() -> None:
    outcomes = with_costs()
    found = {one.name: one for one in criteria_of(outcomes, 0.4, Method(shuffles=200))}
    assert list(found)[:3] == ["usd", "e2el_s", "gco2e"]
    seconds = found["e2el_s"]
    total = float(outcomes.costs["e2el_s"].sum())
    assert seconds.total == pytest.approx(total)
    assert seconds.saved == pytest.approx(0.6 * total)
    assert (seconds.spent or 0) + (seconds.saved or 0) == pytest.approx(total)
    assert 100 * (seconds.fraction or 0) == pytest.approx(40.8, abs=0.8)
    assert found["usd"].kind == "modelled"
    assert found["e2el_s"].kind == "from the file"
    assert found["usd"].n_items == 1800
    assert found["gco2e"].total is None
    assert found["gco2e"].why
    # a column that does not vary has totals and no cut-off
    assert found["prompt_tokens"].total == 100_000
    assert found["prompt_tokens"].fraction is None
    assert "no cut-off" in found["prompt_tokens"].why


def test_what_is_saved_lies_within_its_interval_19_times_in_20() -> None:
    outcomes = with_costs()
    seconds = outcomes.costs["e2el_s"]
    one = next(c for c in criteria_of(outcomes, 0.4, Method(shuffles=20)) if c.name == "e2el_s")
    rng = np.random.default_rng(9)
    saved = np.array([rng.permutation(seconds)[800:].sum() for _ in range(2000)])
    inside = np.abs(saved - (one.saved or 0)) <= (one.saved_half or 0)
    assert 0.935 <= inside.mean() <= 0.965


def test_projection_is_by_tokens_prices_and_emissions() -> None:
    outcomes = with_costs()
    out = float(outcomes.costs["completion_tokens"].sum())
    other = parse_model("big, verbosity=1.5,usd_in=2,usd_out=10,gco2e_per_1k_tokens=0.3,s_per_token=0.02")
    usd, seconds, grams = project(other, outcomes, 0.4)
    assert usd.total == pytest.approx((100_000 * 2 + 1.5 * out * 10) / 1e6)
    assert usd.saved == pytest.approx(0.6 * (usd.total or 0))
    assert seconds.total == pytest.approx(1.5 * out * 0.02)
    assert grams.total == pytest.approx(1.5 * out * 0.3 / 1000)


def test_projection_says_what_it_lacks() -> None:
    whys = [row.why for row in project(OtherModel("x"), with_costs(), 0.4)]
    assert all("not given" in why for why in whys)
    bare = [row.why for row in project(parse_model("x,usd_in=1,usd_out=1"), coins(50, 0.5), 0.4)]
    assert "neither" in bare[0]
    chars = Outcomes("c", "accuracy", coins(50, 0.5).values, costs={"output_chars": np.full(50, 400.0)})
    other = parse_model("x,usd_in=1,usd_out=1,chars_per_token=4,prompt_tokens=10")
    assert project(other, chars, 0.4)[0].total == pytest.approx(50 * (10 + 100) / 1e6)


@pytest.mark.parametrize(
    "text", ["", "verbosity=2", "x,verbosity", "x,speed=2", "x,verbosity=0", "x,usd_in=nan", "x,usd_in=-1"]
)
def test_a_model_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="declares no model"):
        parse_model(text)


def test_strata_need_domains() -> None:
    with pytest.raises(InputError, match="no domains"):
        study(coins(500, 0.5), Method(shuffles=10), stratify=True)


def test_a_study_warns_of_few_items() -> None:
    assert study(coins(999, 0.5), Method(shuffles=10)).is_small
    assert not study(coins(1000, 0.5), Method(shuffles=10)).is_small


def test_few_of_the_rarer_answers_are_warned_of() -> None:
    coarse, fine = (study(coins(1200, share), Method(shuffles=10)) for share in (0.9, 0.5))
    assert coarse.rarer_in_frame == pytest.approx(1.2)
    assert any("1.2 of the rarer answers" in line for line in warning_lines(coarse))
    assert study_json(coarse)["rarer_in_frame"] == coarse.rarer_in_frame
    assert (fine.is_coarse, warning_lines(fine)) == (False, [])


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (coins(1000, 0.985).values, "few of the rarer answers"),
        (0.5 * coins(1000, 0.015).values, "a few items outweigh all others"),
    ],
)
def test_what_is_not_the_constant_is_not_called_one(values: Floats, why: str) -> None:
    """985 right of 1,000 give 33 %, and so do 15 scores of which all others are 0."""
    found = study(Outcomes("m", "accuracy", values), Method(shuffles=150))
    assert 100 * found.cutoff.mean < 38.0
    assert found.leaves_constant
    assert study_json(found)["leaves_constant"]
    told = constant_text(found)
    assert "is another number: Brownian motion" in told
    assert f"{100 * (found.null.cutoff.mean - found.cutoff.mean):.1f} points below it" in told
    assert why in told
    assert "This is a constant" not in told


@pytest.mark.parametrize(("share", "shuffles"), [(0.5, 10), (0.7, 100)])
def test_few_shuffles_do_not_make_another_constant(share: float, shuffles: int) -> None:
    found = study(coins(2400, share), Method(shuffles=shuffles))
    assert not found.leaves_constant
    assert "This is a constant of the smoother" in constant_text(found)


@pytest.mark.parametrize(
    ("exact", "slope", "told"),
    [
        (True, None, "through the same pipeline in fast mode (--null runs it exactly)."),
        (False, Slope.OLS, "through the same pipeline."),
        (False, None, "through the same pipeline."),
    ],
)
def test_random_numbers_beside_it_have_the_same_slopes(exact: bool, slope: Slope | None, told: str) -> None:
    found = study(coins(2400, 0.7), Method(exact=exact, slope=slope, shuffles=40))
    ours, null = found.cutoff, found.null.cutoff
    assert null.method.slope_of(2400) is ours.method.slope_of(2400)
    assert not null.is_exact
    assert study_json(found)["null"]["slope"] == study_json(found)["method"]["slope"]
    assert told in constant_text(found)


def test_named_random_numbers_are_as_exact_as_the_data() -> None:
    found = study(coins(2400, 0.7), Method(exact=True, shuffles=20), null=Null.BROWNIAN)
    assert found.null.cutoff.is_exact
    assert "through the same pipeline." in constant_text(found)


def test_a_criterion_has_the_frames_that_were_asked_for() -> None:
    """Frames of half the items move the knee of a cost as they move that of the score."""
    costs = np.random.default_rng(3).lognormal(0, 1, 2400)
    outcomes = Outcomes("m", "accuracy", coins(2400, 0.7).values, costs={"e2el_s": costs})
    short, long = (
        next(
            one
            for one in criteria_of(outcomes, 0.4, Method(shuffles=60, length=length))
            if one.name == "e2el_s"
        )
        for length in (24, 1200)
    )
    assert short.fraction is not None
    assert long.fraction is not None
    assert short.fraction - long.fraction > 0.1
