"""What may not be compared is refused with its reason; what may, but not without a word, is said."""

from __future__ import annotations

import dataclasses

import pytest

from doubles.compared_runs import run, simulated_pair, with_manifest, with_part, without_joules
from doubles.run_views import device, measured, meter
from joulemark.metrics.compare import compare
from joulemark.metrics.compare_grounds import CPU_FIGURES, ENERGY_FIGURES, SAME_TASK_FIGURES, TIMING_FIGURES
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.manifest import ClientProof
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


@pytest.fixture(scope="module")
def pair():
    a, b = simulated_pair(20, 1)
    return a, b


def _refused(c):
    """Return the codes of the refusals, and check that exactly their figures are withheld for it."""
    for refusal in c.refusals:
        assert refusal.text.endswith(".")
        for name in refusal.figures:
            value = c.figures[name]
            assert value.value is None
            assert value.detail in {one.text for one in c.refusals}
    return {refusal.code for refusal in c.refusals}


def _kept(c, *names):
    return all(c.figures[name].value is not None for name in names)


def _noted(c, *, loud=None):
    return {note.code for note in c.notes if loud is None or note.loud == loud}


def _at(view, *scopes, method=Method.COUNTER):
    old = view.headline_energy
    energy = MeasuredEnergy(old.joules, old.lo, old.hi, "rapl", scopes, method)
    return dataclasses.replace(view, headline_energy=energy)


def test_alike_runs_are_not_refused(pair):
    c = compare(*pair)
    assert _refused(c) == set()
    assert c.differences == ()
    assert _kept(c, *ENERGY_FIGURES, *TIMING_FIGURES, *CPU_FIGURES)


def test_two_tiers(pair):
    a, b = pair
    with_wall = with_manifest(b, meters=[meter(), meter("plug", "plug", Scope("wall"))])
    c = compare(a, with_wall)
    assert _refused(c) == {"tiers_differ"}
    assert "tier C and tier B" in c.refusals[0].text
    assert _kept(c, *CPU_FIGURES, *TIMING_FIGURES, "completion_tokens_ratio", "accuracy_difference_pp")
    assert c.split.per_request is None


def test_two_scope_classes(pair):
    a, b = pair
    c = compare(a, _at(b, Scope.package(0), Scope.dram(0)))
    assert "scope_classes_differ" in _refused(c)
    assert "gpu against dram + package" in c.refusals[0].text
    # more parts of one class are allowed, and said
    two = compare(a, _at(b, Scope.gpu(0), Scope.gpu(1)))
    assert _refused(two) == set()
    assert "device_counts_differ" in _noted(two, loud=True)


def test_replayed_against_live(pair):
    a, b = pair
    replayed = with_manifest(b, meters=[meter(kind="replay")])
    c = compare(a, replayed)
    assert _refused(c) == {"replayed_against_live"}
    assert "joules of B" in c.refusals[0].text
    assert "joules of A" in compare(replayed, a).refusals[0].text
    both = compare(with_manifest(a, meters=[meter(kind="replay")]), replayed)
    assert _refused(both) == set()
    assert "both_replayed" in _noted(both, loud=True)


def test_two_methods_are_allowed_and_said(pair):
    a, b = pair
    c = compare(a, _at(b, Scope.gpu(0), method=Method.INTEGRATED))
    assert _refused(c) == set()
    assert _kept(c, *ENERGY_FIGURES)
    (note,) = [n for n in c.notes if n.code == "methods_differ"]
    assert "A are from an energy counter" in note.text
    assert "B from integrated power" in note.text


def test_two_tasks(pair):
    a, b = pair
    c = compare(a, with_part(b, "task", name="mmlu", revision="2"))
    assert _refused(c) == {"tasks_differ"}
    assert not c.paired
    assert c.questions == ("task.name", "task.revision")
    assert {name for name, v in c.figures.items() if v.value is None} == {
        *SAME_TASK_FIGURES,
        "mean_score_difference",
    }
    assert _kept(c, "joules_per_correct_answer_ratio", "joules_per_request_ratio")


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("task", {"split": "train"}),
        ("task", {"n_shot": 5}),
        ("task", {"template_hash": "0"}),
        ("task", {"preset": "published"}),
        ("task", {"subset_key": "another"}),
        ("task", {"revision": "2"}),
    ],
)
def test_other_words_are_not_paired(pair, part, changed):
    a, b = pair
    c = compare(a, with_part(b, part, **changed))
    assert not c.paired
    assert c.questions == tuple(f"{part}.{name}" for name in changed)


def test_questions_that_a_list_named_are_told_loudly(pair):
    a, b = pair
    assert "items_listed" not in _noted(compare(a, b))
    c = compare(with_part(a, "task", is_listed=True), b)
    (note,) = [n for n in c.notes if n.code == "items_listed"]
    assert note.loud
    assert note.text.startswith("The questions of A were named by a list")
    both = compare(*(with_part(one, "task", is_listed=True) for one in pair))
    assert any(n.text.startswith("The questions of A and B were") for n in both.notes)


def test_what_only_chooses_among_the_items_is_shown_and_pairs(pair):
    a, b = pair
    c = compare(a, with_part(b, "task", nonce="n", n_items=10, budget_hash="0"))
    assert c.paired
    # one hash of all token limits differs with their number alone
    assert [d.name for d in c.differences] == ["task.n_items", "task.nonce"]
    same = compare(a, with_part(b, "task", budget_hash="0"))
    assert [d.name for d in same.differences] == ["task.budget_hash"]


def _named(view, name, items_hash, **fields):
    """Return the run with ids made by ``name`` of the item's place, and other facts of its task."""
    ids = {item.item_id: name(k) for k, item in enumerate(view.items)}
    renamed = dataclasses.replace(
        view,
        items=tuple(dataclasses.replace(item, item_id=ids[item.item_id]) for item in view.items),
        attributions=tuple(dataclasses.replace(row, item_id=ids[row.item_id]) for row in view.attributions),
        item_cpu_seconds={(ids[name], r): s for (name, r), s in view.item_cpu_seconds.items()},
    )
    return with_part(renamed, "task", items_hash=items_hash, **fields)


def _digest(k):
    return f"quick-{k:012x}"


def _key(k):
    return f"key-{k}"


@pytest.mark.parametrize(
    ("name", "hashes", "is_paired"),
    [
        (_digest, ("one", "other"), True),
        (lambda k: f"{_digest(k)}~2" if k else _digest(k), ("one", "other"), True),
        # a corrected edition of the data keeps its own keys
        (_key, ("one", "other"), False),
        (_key, ("one", "one"), True),
        # an older record does not say
        (_digest, (None, "other"), False),
        (_digest, (None, None), False),
    ],
)
def test_the_same_items_from_other_bytes(pair, name, hashes, is_paired):
    a, b = (_named(view, name, items_hash) for view, items_hash in zip(pair, hashes, strict=True))
    c = compare(a, with_part(b, "task", revision="2", split="all"))
    assert c.paired is is_paired
    assert c.questions == (() if is_paired else ("task.revision", "task.split"))
    assert {"task.revision", "task.split"} <= {d.name for d in c.differences}
    assert ("tasks_differ" in _refused(c)) is not is_paired
    assert _kept(c, "joules_per_token_ratio") is is_paired


def test_two_processors(pair):
    a, b = pair
    c = compare(a, with_part(b, "host", cpu_model="Otherchip 9"))
    assert _refused(c) == {"processors_differ"}
    assert _kept(c, *ENERGY_FIGURES)


def test_two_machines_are_allowed_and_said(pair):
    a, b = pair
    elsewhere = with_manifest(b, devices=[device(uuid_hash="0ddba11")])
    c = compare(a, elsewhere)
    assert _refused(c) == set()
    assert "machines_differ" in _noted(c, loud=True)
    assert [d.name for d in c.differences] == ["machine.board_ids"]


def test_a_client_that_did_not_keep_up(pair):
    a, b = pair
    c = compare(a, with_manifest(b, client=[ClientProof(segment=0, invalid=["client_cpu"])]))
    assert _refused(c) == {"client_invalid"}
    assert all(c.figures[name].reason is Reason.CLIENT_INVALID for name in TIMING_FIGURES)
    assert _kept(c, *ENERGY_FIGURES)
    assert "client_invalid" in _noted(c, loud=True)


@pytest.mark.parametrize("busy", [0, 1])
def test_a_busy_machine(pair, busy):
    runs = list(pair)
    runs[busy] = dataclasses.replace(runs[busy], foreign_cpu_share=0.66, stolen_cpu_share=0.01)
    c = compare(*runs)
    assert _refused(c) == {"busy_machine"}
    assert f"Other processes used 66 % of {'AB'[busy]}'s processor" in c.refusals[0].text
    assert all(c.figures[name].value is None for name in (*TIMING_FIGURES, *CPU_FIGURES))
    assert _kept(c, *ENERGY_FIGURES, "accuracy_difference_pp")
    assert "energy_on_busy_machine" in _noted(c, loud=True)
    bare = compare(*map(without_joules, runs))
    assert "energy_on_busy_machine" not in _noted(bare)


def test_a_quiet_machine_is_not_refused_and_a_hypervisor_is_named(pair):
    a, b = pair
    assert _refused(compare(a, dataclasses.replace(b, foreign_cpu_share=0.05, stolen_cpu_share=0.0))) == set()
    c = compare(a, dataclasses.replace(b, stolen_cpu_share=0.12))
    assert "The hypervisor took 12 % of B's processor" in c.refusals[0].text


def test_settings_that_a_reader_must_know_of(pair):
    a, b = pair
    warm = compare(a, with_part(b, "sampling", temperature=0.7))
    assert "temperatures_differ" in _noted(warm, loud=True)
    assert _kept(warm, *ENERGY_FIGURES)
    both = compare(*(with_part(view, "sampling", temperature=0.7) for view in pair))
    assert "answers_drawn" in _noted(both, loud=False)
    loaded = compare(a, with_part(b, "load", mode="closed", concurrency=8))
    assert "loads_differ" in _noted(loaded, loud=True)
    cut = compare(a, dataclasses.replace(with_manifest(b, state="partial"), wanted=60))
    (note,) = [n for n in cut.notes if n.code == "partial"]
    assert note.text == "B is not complete: 20 of 60 answers."
    limited = compare(a, with_manifest(b, devices=[device(power_limit_w=250)]))
    assert "power_limits_differ" in _noted(limited)


def test_every_setting_of_the_identity_is_listed(pair):
    a, b = pair
    other = with_part(
        b,
        "engine",
        kind="vllm",
        version="1",
        model="m",
        model_digest="d",
        quantization=None,
        flags={"n_ctx": 8, "tp": 2},
    )
    other = with_part(with_part(other, "sampling", seed=None, max_tokens=9), "load", concurrency=2)
    found = {d.name: (d.a, d.b) for d in compare(a, other).differences}
    assert found == {
        "engine.kind": ("llama.cpp", "vllm"),
        "engine.version": ("b6789", "1"),
        "engine.model": ("SmolLM2-135M-Instruct", "m"),
        "engine.model_digest": ("5bb5e8e2d2b1", "d"),
        "engine.quantization": ("Q4_1", None),
        "engine.flags.n_ctx": (4096, 8),
        "engine.flags.n_parallel": (1, None),
        "engine.flags.tp": (None, 2),
        "sampling.seed": (1234, None),
        "sampling.max_tokens": (128, 9),
        "load.concurrency": (1, 2),
    }


def test_scopes_of_one_joule_are_not_enough_for_a_bound():
    a = dataclasses.replace(run([1.0] * 12, [True] * 12), headline_energy=measured(12.0, 12.0))
    c = compare(a, run([1.0] * 12, [True] * 12))
    bound = c.figures["joules_per_correct_answer_ratio_bound"]
    assert bound.interval is None
    assert bound.interval_reason is Reason.NO_SAMPLES


@pytest.mark.parametrize(
    ("change", "code", "loud", "words"),
    [
        (lambda v: with_manifest(v, joulemark_version="0.0.1"), "versions_differ", True, "0.0.1 in B"),
        (lambda v: with_part(v, "sampling", max_tokens=7), "budgets_differ", True, "128 in A, 7 in B"),
        (lambda v: with_part(v, "task", budget_hash="x"), "budgets_differ", True, "different token limits:"),
        (
            lambda v: with_part(v, "engine", prefix_cache=True),
            "prefix_caches_differ",
            True,
            "off in A and on",
        ),
        (
            lambda v: with_part(v, "engine", prefix_cache=None),
            "prefix_caches_differ",
            True,
            "unknown state in B",
        ),
        (
            lambda v: with_part(v, "sampling", top_p=0.1),
            "sampling_differs",
            False,
            "top_p (1.0 in A, 0.1 in B)",
        ),
        (lambda v: with_part(v, "sampling", seed=None), "sampling_differs", False, "unknown in B"),
        (lambda v: with_part(v, "task", preset="published"), "presets_differ", False, "published in B"),
    ],
)
def test_settings_that_change_grading_or_cost_are_told(pair, change, code, loud, words):
    a, b = pair
    assert code not in _noted(compare(a, b))
    c = compare(a, change(b))
    (note,) = [one for one in c.notes if one.code == code]
    assert (note.loud, words in note.text) == (loud, True), note.text
    assert _kept(c, *ENERGY_FIGURES)
