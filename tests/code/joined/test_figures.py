"""What a correct answer costs with the runs of its program, in one unit and of one kind."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import orjson
import pytest
from rich.console import Console

from doubles.programming_engine import asked_run
from joulemark.cli.programs import ComparedPrograms
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.settings import Settings
from joulemark.code.joined.figures import NO_RATE, DeclaredWatts, program_figures
from joulemark.code.joined.figures_json import figures_json
from joulemark.code.joined.grade_run import grade_run
from joulemark.metrics.code.break_even import CostKind
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.scope import Scope
from joulemark.report.code_joined import print_program_figures

pytestmark = pytest.mark.slow  # real runs are asked and graded first
QUICK = Settings(
    n_tests=4, min_pairs=4, max_pairs=4, same_problems=0, same_pairs=0, whole_repeats=0, growth=False
)
Measured = tuple[Path, RunView]


@pytest.fixture(scope="module")
def measured(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A run of three answers, two of them right, one of these with a loop too many."""
    folder = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "home"))
        asked_run(folder / "run", ["right", "slower", "wrong"])
        view = grade_run(folder / "run", QUICK, executor=LocalExecutor(1)).view
    return folder / "run", view


def metered(view: RunView, scope: str, joules: float = 300.0) -> RunView:
    energy = MeasuredEnergy(joules, joules - 3, joules + 3, "meter", (Scope("wall"),), Method.COUNTER)
    return replace(view, headline_energy=energy, headline_scope=scope, cpu_seconds=6.0)


def test_a_run_that_was_not_graded_has_no_figures(tmp_path: Path) -> None:
    from joulemark.runs.view import view_of

    run = asked_run(tmp_path / "run", ["right"])
    assert program_figures(tmp_path / "run", view_of(run)) is None


def test_processor_time_stands_in_where_no_meter_is(measured: Measured) -> None:
    root, view = measured
    found = program_figures(root, replace(view, cpu_seconds=6.0, item_cpu_seconds={}))
    assert found is not None
    assert found.cost is not None
    assert found.cost.kind is CostKind.CPU
    assert found.why_no_joules
    assert found.generate.value == pytest.approx(3.0)
    assert found.run_cpu_s.value is not None
    for n, value in found.curve:
        assert value.unit == "s"
        assert value.value == pytest.approx(3.0 + n * found.run_cpu_s.value)


def test_the_processors_meter_says_what_a_cpu_second_takes(measured: Measured) -> None:
    root, view = measured
    found = program_figures(root, metered(view, "package:0"))
    assert found is not None
    assert found.why_no_joules is None
    assert found.joules_per_cpu_second.value == pytest.approx(50.0)
    assert found.generate.value == pytest.approx(150.0)
    assert (found.generate.lo, found.generate.hi) == pytest.approx((148.5, 151.5))
    assert found.run_cpu_s.value is not None
    assert found.run_j.value == pytest.approx(50.0 * found.run_cpu_s.value)
    assert (found.run_j.lo, found.run_j.hi) == (None, None)
    assert "one thread" in found.run_j.detail


def test_no_sum_joins_measured_and_modelled_joules(measured: Measured) -> None:
    """Both parts of the cost with runs are processor time at one rate; what was metered stands for itself."""
    root, view = measured
    found = program_figures(root, metered(view, "package:0"))
    assert found is not None
    assert found.cost is not None
    assert found.cost.kind is CostKind.AT_METERED_RATE
    assert "modelled" in found.cost.kind.value
    assert "odelled" in found.cost.kind.definition.title
    assert not any(kind.value == "metered" for kind in CostKind)
    assert found.run_cpu_s.value is not None
    for n, value in found.curve:
        # 6 s of the engine and the program's own, at 50 J/s
        assert value.value == pytest.approx(50.0 * (6.0 / 2 + n * found.run_cpu_s.value))
    other = replace(metered(view, "package:0"), item_cpu_seconds={})
    attributed = program_figures(root, other)
    assert attributed is not None
    assert attributed.curve[0][1].value == pytest.approx(found.curve[0][1].value)
    kinds = figures_json(found)["kinds"]
    assert kinds == {
        "generate_per_correct_answer": "measured",
        "run_cpu_s": "measured",
        "run_j": "modelled",
        "joules_per_cpu_second": "measured",
    }


def test_a_boards_joules_are_never_added_to_processor_time(measured: Measured) -> None:
    root, view = measured
    found = program_figures(root, metered(view, "gpu:0"))
    assert found is not None
    assert found.cost is None
    assert found.curve == ()
    assert found.why_no_joules == NO_RATE
    assert found.generate.value == pytest.approx(150.0)  # what was metered is told all the same


def test_declared_watts_model_both_parts(measured: Measured) -> None:
    root, view = measured
    declared = DeclaredWatts(engine_w=200.0, program_w=10.0)
    found = program_figures(root, metered(view, "gpu:0"), declared)
    assert found is not None
    assert found.cost is not None
    assert found.cost.kind is CostKind.MODELLED
    assert view.duration_s is not None
    assert found.run_cpu_s.value is not None
    (n, value) = found.curve[1]
    assert value.value == pytest.approx(200.0 * view.duration_s / 2 + n * 10.0 * found.run_cpu_s.value)


def test_the_slower_program_is_seen_as_slower(measured: Measured) -> None:
    root, view = measured
    found = program_figures(root, view)
    assert found is not None
    assert found.summary.figures["pass_at_1"].value == pytest.approx(2 / 3)
    seconds = {one.problem: one.candidate.cpu_s for one in found.summary.paired}
    assert seconds.keys() == {"total-right", "total-slower"}


def test_every_figure_is_json_and_every_null_has_a_reason(measured: Measured) -> None:
    root, view = measured
    for one in (view, metered(view, "package:0"), metered(view, "gpu:0")):
        found = program_figures(root, one)
        assert found is not None
        document = orjson.loads(orjson.dumps(figures_json(found)))
        for name in ("generate_per_correct_answer", "run_cpu_s", "run_j", "joules_per_cpu_second"):
            assert document[name] is not None or name in document["reasons"]
        assert (document["cost_kind"] is None) <= bool(document["why_no_joules"])


@pytest.mark.parametrize("scope", ["package:0", "gpu:0"])
def test_the_section_says_what_is_known_and_why_not(measured: Measured, scope: str) -> None:
    root, view = measured
    found = program_figures(root, metered(view, scope))
    assert found is not None
    out = StringIO()
    print_program_figures(found, Console(file=out, width=200))
    text = out.getvalue()
    assert "pass@1 (2 of 3 right)" in text
    assert "67 %" in text
    assert "Energy (measured) to generate" in text
    for words in ("Energy (modelled) of one run", "modelled: processor time at the metered rate"):
        assert (words in text) == (scope == "package:0")
    assert (NO_RATE in text) == (scope == "gpu:0")


def test_runs_are_compared_by_when_the_dearer_pays_back(measured: Measured) -> None:
    root, view = measured
    cheap, dear = metered(view, "package:0", 100.0), metered(view, "package:0", 300.0)
    (pair,) = ComparedPrograms([("A", root, dear), ("B", root, cheap)]).to_json()["programs"]
    assert (pair["a"], pair["b"], pair["dearer"], pair["kind"]) == ("A", "B", "A", "modelled_at_metered_rate")
    # the same programs: A costs more to generate, and its runs cost more by its own meter; it never pays back
    assert pair["break_even_runs"] is None
    assert pair["reasons"]["break_even_runs"]
    (other,) = ComparedPrograms([("A", root, dear), ("B", root, metered(view, "gpu:0"))]).to_json()[
        "programs"
    ]
    assert other["why"] == NO_RATE
    assert ComparedPrograms([("A", root, dear)]).to_json() == {}
