"""Plans: what targets need, what that costs, and the published sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import orjson
import pytest

from doubles.run_views import item
from frugal.stopping.driven import end_of
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.planning.known_task import KnownTask, by_domain, known_from
from joulemark.frugal.planning.plan import Plan, plan
from joulemark.frugal.planning.plan_course import course_of
from joulemark.frugal.planning.plan_json import plan_json
from joulemark.frugal.planning.stated_task import parse_task, with_size
from joulemark.frugal.stopping.rule import EVERY, TargetRule
from joulemark.frugal.target import parse_target
from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.student import t_95
from joulemark.record.errors import InputError
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates

SIX = [
    parse_task(text)
    for text in (
        "Arc-C=2590:.769",
        "GSM8k=8,792:57%",
        "Hellaswag=49947:.787",
        "MMLU=15858:.66",
        "Winogrande=40490:.60",
        "OpinionQA=6024:.42",
    )
]


def _plan(tasks: list[KnownTask], *targets: str, **how: object) -> Plan:
    return plan(tasks, [parse_target(text) for text in targets], **how)  # type: ignore[arg-type]


def test_the_published_table() -> None:
    """Field notes, section 4: ±1 pp on all six takes 23.4 % of the items, ±2 pp 8.3 %."""
    found = _plan(SIX, "accuracy ±1pp")
    sizes = [one.n for one in found.tasks]
    assert np.abs(np.subtract(sizes, (1877, 4547, 5704, 5585, 7510, 3665))).max() <= 1
    shares = {point.target.text: point.share for point in course_of(found)}
    assert shares["accuracy ±0.5pp"] == pytest.approx(0.500, abs=5e-4)
    assert shares["accuracy ±1pp"] == pytest.approx(0.234, abs=5e-4)
    assert shares["accuracy ±1.5pp"] == pytest.approx(0.131, abs=5e-4)
    assert shares["accuracy ±2pp"] == pytest.approx(0.083, abs=5e-4)


@pytest.mark.parametrize(("pp", "share"), [(0.5, 0.413), (1, 0.177), (1.5, 0.095), (2, 0.058)])
def test_the_published_table_with_prior_knowledge(pp: float, share: float) -> None:
    found = _plan(SIX, f"accuracy ±{pp}pp", gain=1.5)
    assert found.n / found.n_items == pytest.approx(share, abs=7e-4)


@pytest.mark.parametrize(
    ("pp", "counts"),
    [(1, [52, 474, 1639, 5166, 7664, 9051]), (2, [51, 410, 1062, 1905, 2165, 2263])],
)
def test_it_is_the_count_that_carries_over_and_not_the_share(pp: int, counts: list[int]) -> None:
    """docs/frugal.md has these: its shares were read as those of any benchmark."""
    sizes = (52, 500, 2000, 12_032, 50_000, 1_000_000_000)
    target = f"accuracy ±{pp}pp"
    assert [plan([parse_task(f"t={n}:0.62")], [parse_target(target)]).n for n in sizes] == counts


def test_what_the_published_cut_off_gives() -> None:
    needs = [one.needs[0] for one in _plan(SIX, "accuracy ±1pp").tasks]
    widths = [round(100 * (need.published or 0), 2) for need in needs]
    assert widths == [1.96, 1.25, 0.43, 0.89, 0.58, 1.50]


def test_a_mean_over_tasks_takes_far_fewer() -> None:
    each, mean, pooled = (_plan(SIX, "accuracy ±1pp", over=over) for over in ("each", "mean", "pooled"))
    assert mean.n < each.n / 4
    assert mean.n / 123_701 == pytest.approx(0.057, abs=5e-4)  # docs/frugal-plan.md
    for found in (mean, pooled):
        ((_, half),) = found.figures
        assert 0.0099 < half <= 0.01
    assert pooled.n < each.n / 3


def test_allocation_goes_by_cost() -> None:
    tasks = [parse_task("dear=100000:.5:16±4J"), parse_task("cheap=100000:.5:1±.2J")]
    found = _plan(tasks, "accuracy ±1pp", over="mean")
    dear, cheap = (one.n for one in found.tasks)
    assert found.by_cost == "energy_j"
    assert cheap / dear == pytest.approx(4, rel=0.01)  # n goes with 1/√cost
    even = _plan(tasks, "accuracy ±1pp", over="mean", by_cost="items")
    assert even.tasks[0].n == even.tasks[1].n
    assert found.costs[0].value < even.costs[0].value
    with pytest.raises(InputError, match="cannot go by usd"):
        _plan(tasks, "accuracy ±1pp", over="mean", by_cost="usd")


def test_several_targets_and_the_binding_one() -> None:
    task = parse_task("t=100000:.9:10±20J")
    found = _plan([task], "accuracy ±2pp", "joules_per_correct ±5%")
    (one,) = found.tasks
    accuracy, joules = one.needs
    assert one.binding is not None
    assert one.binding.quantity.name == "joules_per_correct"
    assert one.n == joules.n
    assert accuracy.n is not None
    assert accuracy.n < one.n
    # of c − r·y, independent: relative variance CV² + (1 − p)/p
    spread = math.sqrt(2**2 + 0.1 / 0.9)
    n0 = (t_95(joules.n - 1) * spread / 0.05) ** 2  # the rule's quantile
    assert joules.n == pytest.approx(n0 / (1 + n0 / 100000), abs=1.1)


def test_a_decision_needs_the_distance_to_its_threshold() -> None:
    near, far = (_plan([parse_task("t=100000:.75")], f"accuracy > {t}").n for t in (0.74, 0.5))
    assert far < 100 < near
    assert "four of five" in _plan([parse_task("t=1000:.75")], "accuracy > 0.5").notes[0]
    assert _plan([parse_task("t=1000:.75")], "accuracy > 0.75").n == 1000


def test_a_decision_is_not_made_cheaper_by_a_gain_that_its_rule_does_not_know() -> None:
    plain, less = (_plan([parse_task("t=9000:.75")], "accuracy > 0.7", gain=gain) for gain in (1.0, 2.0))
    assert plain.n == less.n
    assert any("--gain" in note for note in less.notes)


def test_a_decision_over_tasks_is_one_look_with_a_power_of_four_in_five() -> None:
    found = _plan([parse_task("a=10000:.75"), parse_task("b=10000:.75")], "accuracy > 0.72", over="mean")
    sd = math.sqrt(0.75 * 0.25)
    n = ((Z_95 + 0.8416) * sd / 0.03) ** 2
    assert found.n == pytest.approx(n / (1 + n / 20_000), rel=0.01)
    assert "one look" in found.notes[0]


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("pp", [0.5, 1, 3])
def test_needed_items_fall_with_the_gain_and_without_a_jump(share: float, pp: float) -> None:
    sizes = [_plan([parse_task(f"t=9000:{share}")], f"accuracy ±{pp}pp", gain=gain).n for gain in GAINS]
    assert (np.diff(sizes) <= 0).all()
    assert sizes[1] >= 0.97 * sizes[0]


GAINS = (1.0, 1.01, 1.1, 1.5, 2.0, 4.0)


def test_what_a_plan_gives_is_what_was_wanted() -> None:
    """Near 1, where Wilson's interval decides, the width beside the number is his too."""
    ((need,),) = (one.needs for one in _plan([parse_task("t=9000:.99")], "accuracy ±1pp").tasks)
    assert need.half_width is not None
    assert 0.0098 < need.half_width <= 0.01


def _measured(n: int = 500, seed: int = 0) -> Outcomes:
    random = np.random.default_rng(seed)
    correct = (random.random(n) < 0.6).astype(float)
    return Outcomes(
        "model",
        "accuracy",
        correct,
        costs={"energy_j": random.lognormal(2, 0.7, n) * (1.4 - correct), "usd": np.full(n, 0.01)},
        modelled=frozenset({"usd"}),
        domains=tuple("ab"[k % 2] for k in range(n)),
        of_run=True,
    )


def test_costs_are_predicted_with_an_interval_that_covers() -> None:
    """The plan from 100 earlier items, against what 400 others then cost."""
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(1000):
        pilot = Outcomes("m", "accuracy", np.ones(100), costs={"energy_j": random.lognormal(0, 0.5, 100)})
        task = known_from(pilot, n_items=400)
        (cost,) = _plan([task], "joules ±0.01%").costs  # so narrow that all are asked
        assert cost.interval is not None
        hits += cost.interval[0] <= random.lognormal(0, 0.5, 400).sum() <= cost.interval[1]
    assert 0.92 <= hits / 1000 <= 0.97


def test_measured_and_modelled_are_not_added() -> None:
    measured = known_from(_measured())
    found = _plan([measured, parse_task("stated=500:.6:12±4J")], "accuracy ±2pp")
    assert [cost.name for cost in found.costs] == []
    kinds = {cost.name: cost.kind for cost in _plan([measured], "accuracy ±2pp").costs}
    assert kinds == {"energy_j": "measured", "usd": "modelled"}


@pytest.mark.parametrize("parts", [known_from, lambda outcomes: by_domain(outcomes)[0]])
def test_what_a_file_tells_of_costs_is_not_called_measured(parts: Callable[[Outcomes], KnownTask]) -> None:
    told = {of_run: parts(replace(_measured(), of_run=of_run)).costs for of_run in (True, False)}
    assert {one["energy_j"].kind for one in told.values()} == {"measured", "from the file"}
    assert told[False]["energy_j"].kind == "from the file"
    assert told[False]["usd"].kind == "modelled"
    # and it is not added to what was measured here
    both = _plan(
        [known_from(replace(_measured(), of_run=of_run)) for of_run in (True, False)], "accuracy ±2pp"
    )
    assert [cost.name for cost in both.costs] == ["usd"]


def test_an_earlier_run_plans_its_ratio() -> None:
    outcomes = _measured(2000)
    task = known_from(outcomes, n_items=50_000)
    found = _plan([task], "joules_per_correct ±5%")
    random = np.random.default_rng(1)
    joules, correct = outcomes.costs["energy_j"], outcomes.values
    ratios = []
    for _ in range(2000):
        drawn = random.integers(0, 2000, found.n)
        ratios.append(joules[drawn].sum() / correct[drawn].sum())
    half = Z_95 * np.std(ratios) / np.mean(ratios)
    assert half == pytest.approx(0.05, rel=0.06)


def test_what_is_not_known_is_told() -> None:
    task = known_from(_measured())
    found = _plan([task, parse_task("bare=100:.5")], "joules ±5%", "accuracy ±5pp")
    bare = found.tasks[1].needs[0]
    assert (bare.n, bare.half_width) == (None, None)
    assert "energy_j" in bare.why
    with pytest.raises(InputError, match="cannot be planned for"):
        _plan([parse_task("bare=100:.5")], "latency ±5%")
    with pytest.raises(InputError, match="bare"):
        _plan([task, parse_task("bare=100:.5")], "joules ±5%", over="mean")
    with pytest.raises(InputError, match="deviation was not stated"):
        _plan([parse_task("t=100:.5:12J")], "joules ±5%")
    few = known_from(Outcomes("m", "accuracy", np.ones(3)))
    with pytest.raises(InputError, match="too few"):
        _plan([few], "accuracy ±5pp")
    scores = known_from(Outcomes("m", "score", np.linspace(0, 9, 40), high=9.0))
    with pytest.raises(InputError, match="scores"):
        _plan([scores], "accuracy ±5pp")
    assert _plan([scores], "score ±0.5").n < 40


def test_all_right_so_far_is_not_certain() -> None:
    task = known_from(Outcomes("m", "accuracy", np.ones(30)), n_items=5000)
    assert _plan([task], "accuracy ±2pp").n > 50
    assert _plan([task, task], "accuracy ±2pp", over="mean").n > 50


def test_parts_of_a_task() -> None:
    parts = by_domain(_measured())
    assert [(one.name, one.n_items) for one in parts] == [("a", 250), ("b", 250)]
    assert parts[0].costs["usd"].kind == "modelled"


def test_json_is_whole() -> None:
    found = _plan([known_from(_measured()), parse_task("bare=100:.5")], "accuracy ±5pp", "joules ±5%")
    document = plan_json(found, course_of(found))
    assert orjson.dumps(document)
    assert document["needed_n"] == sum(task["needed_n"] for task in document["tasks"])
    bare = document["tasks"][1]["targets"][1]
    assert bare["needed_n"] is None
    assert bare["reason"]


@pytest.mark.parametrize(
    "text",
    ["x", "x=5", "=5:.5", "x=0:.5", "x=5:2", "x=5:-1%", "x=5:.5:12", "x=5:.5:12Q", "x=5:.5:J", "x=5:.5:-2J",
     "x=5:.5:1J,2J", "x=5:nan", "x=5:.5:1±-1J", "x=5:.5:1e999J", f"x={10**13}:.5"],
)  # fmt: skip
def test_tasks_that_are_none(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse_task(text)
    assert "--task NAME=N:p" in error.value.fix


def test_stated_costs_and_sizes() -> None:
    task = parse_task("t=100:.5:0.5+-0.1kJ,200±10ms,0.002usd,3g,50±5tok")
    assert (task.costs["energy_j"].mean, task.costs["energy_j"].sd) == (500, 100)
    assert task.costs["e2el_s"].mean == task.costs["wall_s"].mean == 0.2
    assert task.costs["usd"].sd is None
    assert task.spreads["tokens_per_correct"].mean == 100
    assert with_size(task, 1000).n_items == 1000
    with pytest.raises(InputError, match="cannot have 5 items"):
        with_size(task, 5)


def test_a_task_that_is_all_right_is_not_known_from_one_item() -> None:
    """Near 1, and at 1, a mean over tasks is planned by Wilson's interval too; the more gain, the fewer."""
    tasks = [parse_task("easy=5000:1"), parse_task("easier=5000:1")]
    sizes = [_plan(tasks, "accuracy ±1pp", over="mean", gain=gain).n for gain in GAINS]
    assert sizes[0] > 100
    assert (np.diff(sizes) <= 0).all()
    ((_, half),) = _plan(tasks, "accuracy ±1pp", over="mean").figures
    assert 0.0095 < half <= 0.0101
    one = _plan(tasks[:1], "accuracy ±1pp")
    assert one.n > 100
    assert one.tasks[0].needs[0].half_width == pytest.approx(0.01, rel=0.02)


def test_a_stopped_run_plans_for_its_whole_task() -> None:
    outcomes = replace(_measured(100), n_items=600)
    task = known_from(outcomes)
    assert task.n_items == 600
    assert "100 of its 600 questions were asked" in task.notes[-1]
    assert known_from(outcomes, n_items=900).n_items == 900


def test_items_that_a_list_named_are_told_apart_from_random_ones() -> None:
    listed = known_from(replace(_measured(), is_listed=True), n_items=1000)
    assert any("named by a list" in note for note in listed.notes)
    assert not any("named by a list" in note for note in known_from(_measured(), n_items=1000).notes)


def test_a_pooled_cost_per_correct_answer_is_all_that_was_spent_over_all_that_was_right() -> None:
    tasks = [parse_task("a=2000:0.1:10±1J"), parse_task("b=2000:0.9:10±1J")]
    found = _plan(tasks, "joules_per_correct ±5%", over="pooled")
    ((_, half),) = found.figures
    assert half == pytest.approx(0.05 * 20, rel=0.01)
    sizes = [one.n for one in found.tasks]
    assert sum(sizes) < 700
    rng = np.random.default_rng(3)
    right = [rng.random(2000) < share for share in (0.1, 0.9)]
    joules = [rng.normal(10, 1, 2000) for _ in right]
    truth = sum(one.sum() for one in joules) / sum(one.sum() for one in right)
    errors = []
    for _ in range(2000):
        drawn = [rng.permutation(2000)[:n] for n in sizes]
        spent = sum(one[at].mean() for one, at in zip(joules, drawn, strict=True))
        errors.append(abs(spent / sum(one[at].mean() for one, at in zip(right, drawn, strict=True)) - truth))
    assert np.mean(np.array(errors) <= half) == pytest.approx(0.95, abs=0.02)


def test_of_one_task_the_pooled_figure_is_its_own() -> None:
    task = parse_task("a=2000:0.4:10±4J")
    pooled, each = (_plan([task], "joules_per_correct ±5%", over=over) for over in ("pooled", "each"))
    assert abs(pooled.n - each.n) <= 1


@pytest.mark.parametrize(
    ("task", "target", "least"),
    [
        ("x=1000:0.9:12±0.5J", "joules ±5%", 100),
        ("x=1000:0.99", "accuracy ±10pp", 30),
        ("x=1000:0.05:12±0.5J", "joules_per_correct ±90%", 200),
        ("x=60:0.9:12±0.5J", "joules ±5%", 60),
    ],
)
def test_no_less_is_planned_than_a_run_that_stops_itself_would_ask(
    task: str, target: str, least: int
) -> None:
    found = _plan([parse_task(task)], target)
    assert found.n == least
    assert any("half of all samples" in note for note in found.notes)


@pytest.mark.parametrize(
    ("target", "share", "tokens", "of"),
    [
        ("accuracy ±14pp", 0.5, (1, 2), 5000),
        ("accuracy ±10pp", 0.5, (1, 2), 5000),
        ("accuracy ±5pp", 0.95, (1, 2), 5000),
        ("accuracy ±8pp", 0.7, (1, 2), 300),
        ("tokens ±9%", 0.5, (50, 150), 5000),
        ("tokens ±8%", 0.5, (50, 150), 400),
        ("tokens ±30%", 0.1, (10, 110), 5000),
        ("tokens_per_correct ±12%", 0.7, (50, 150), 5000),
        ("score ±0.06", 0.2, (1, 2), 1000),
    ],
)
def test_a_plan_asks_what_the_rule_asks(target: str, share: float, tokens: tuple[int, int], of: int) -> None:
    """Half of the runs end at the first look from the planned number on, within 3 %, also below 200."""
    rng = np.random.default_rng(1)
    right = np.arange(of) < round(share * of)
    many = np.where(rng.permutation(right), tokens[1], tokens[0])
    costs = {"completion_tokens": many.astype(float)}
    n = _plan([known_from(Outcomes("m", "accuracy", right.astype(float), costs=costs))], target).n
    ended = []
    for _ in range(40):
        questions = [
            (
                item(
                    0,
                    verdict=Verdict.CORRECT if right[k] else Verdict.WRONG,
                    tokens=int(many[k]),
                    score=float(right[k]),
                ),
            )
            for k in rng.permutation(of)[: 2 * n + 100]
        ]
        made = TargetRule([parse_target(target)], of, Rates(), score_range=(0.0, 1.0))
        decision = end_of(made, questions, of)
        ended.append(of if decision is None else decision.at)
    assert 0.97 * n <= np.median(ended) <= 1.03 * n + EVERY
