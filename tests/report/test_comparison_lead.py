"""What several runs are called together, and what leads: rivals, settings, or the tasks of one model."""

import dataclasses
import io

import pytest
from rich.console import Console

from doubles.compared_runs import run, simulated_pair, with_part, without_joules
from doubles.run_views import meter
from joulemark.metrics import summarize
from joulemark.metrics.compare_runs import compare_runs
from joulemark.metrics.compare_settings import settings
from joulemark.report.comparison_html import render_comparison
from joulemark.report.comparison_lead import are_tasks_of_one_model, leads, row_note, title
from joulemark.report.comparison_tables import columns, run_lines, setting_rows, warnings
from joulemark.report.comparison_terminal import print_comparison
from joulemark.report.setting_titles import TITLES, in_a_sentence, setting_title

MODEL = "SmolLM2-135M-Instruct"


def _compared(*views):
    return compare_runs([(f"runs/{k}", view, summarize(view)) for k, view in enumerate(views)])


def _on(view, task):
    return with_part(view, "task", name=task, revision=f"{task}-1")


@pytest.fixture(scope="module")
def pair():
    return simulated_pair(40, 1, ratio=1.8)


@pytest.fixture(scope="module")
def tasks(pair):
    return _compared(_on(pair[0], "gsm8k"), _on(pair[1], "mmlu"))


def test_tasks_of_one_model_are_no_rivals(tasks):
    assert are_tasks_of_one_model(tasks)
    assert title(tasks) == f"2 tasks of {MODEL}"
    (said,) = leads(tasks)
    assert said.startswith("A correct answer takes ")
    assert " J on gsm8k and " in said
    assert said.endswith(" J on mmlu.")
    assert "needs" not in said
    assert [row_note(one, tasks) for one in tasks.runs] == ["gsm8k", "mmlu"]


def test_on_the_page_and_in_the_terminal_the_table_comes_before_any_ratio(tasks):
    out = io.StringIO()
    print_comparison(tasks, Console(file=out, width=100))
    for text in (render_comparison(tasks).replace("\n", " "), out.getvalue()):
        assert " needs " in text
        assert text.index("J / correct") < text.index(" needs ")
        assert "not which is better" in " ".join(text.split())
    assert "B on mmlu needs" in " ".join(out.getvalue().split()).replace("\N{NO-BREAK SPACE}", " ")


def test_that_tokens_of_tasks_are_not_compared_is_no_alarm_there(tasks, pair):
    text = "Energy per token and tokens per request are compared on the same task only."
    assert text not in warnings(tasks, loud=True)
    assert text in warnings(tasks, loud=False)
    rivals = _compared(pair[0], with_part(_on(pair[1], "mmlu"), "engine", model="other"))
    assert text in warnings(rivals, loud=True)


def test_many_tasks_are_told_by_their_ends_and_unknown_ones_named(pair):
    names = ("gsm8k", "mmlu", "bbh", "ifeval")
    cheap, dear = run([10.0] * 20, [True] * 20), run([900.0] * 20, [True] * 20)
    views = [cheap, dear, *pair]
    (said,) = leads(_compared(*(_on(view, name) for view, name in zip(views, names, strict=True))))
    assert said == "A correct answer takes from 10.00 J on gsm8k to 900.0 J on mmlu."
    never_right = run([10.0] * 20, [False] * 20)
    (said,) = leads(_compared(_on(cheap, "gsm8k"), _on(never_right, "mmlu")))
    assert said == "A correct answer takes 10.00 J on gsm8k; not known for mmlu."
    bare = [without_joules(_on(view, name)) for view, name in zip(views, names, strict=True)]
    assert " of processor time on " in leads(_compared(*bare[:2]))[0]
    assert leads(_compared(_on(never_right, "gsm8k"), _on(never_right, "mmlu"))) == []


def test_joules_that_may_not_be_compared_do_not_share_a_sentence(pair):
    replayed = dataclasses.replace(
        _on(pair[1], "mmlu"),
        manifest=_on(pair[1], "mmlu").manifest.model_copy(update={"meters": [meter(kind="replay")]}),
    )
    assert leads(_compared(_on(pair[0], "gsm8k"), replayed)) == []


def test_titles_name_what_tells_the_runs_apart(pair):
    a, b = pair
    other = with_part(b, "engine", model="other-8b")
    assert title(_compared(a, other)) == f"{MODEL} against other-8b"
    assert title(_compared(a, b)) == f"2 runs of {MODEL} on quick"
    assert title(_compared(a, b, _on(b, "mmlu"))) == f"3 runs of {MODEL}"
    assert title(_compared(a, other, b)) == f"3 runs of {MODEL} and other-8b on quick"
    assert not are_tasks_of_one_model(_compared(a, _on(other, "mmlu")))
    assert row_note(_compared(a, b).runs[0], _compared(a, b)) == ""


def test_a_rival_that_was_asked_another_task_is_named_with_it(pair):
    compared = _compared(pair[0], pair[1], _on(pair[1], "mmlu"))
    first, second = (said.replace("\N{NO-BREAK SPACE}", " ") for said in leads(compared))
    assert first.startswith("B needs ")
    assert second.startswith("C on mmlu needs ")
    assert "of A on quick for" in second


def test_every_setting_has_a_title_and_an_unknown_one_stays_as_it_is(pair):
    for name in settings(pair[0]):
        assert name in TITLES or name.startswith("engine.flags.")
    assert len(set(TITLES.values())) == len(TITLES)
    assert setting_title("engine.flags.n_ctx") == "Engine flag n_ctx"
    assert setting_title("task.colour") == "task.colour"
    assert in_a_sentence(["task.n_shot", "task.name"]) == "shots, task"
    (row, *_) = setting_rows(_compared(pair[0], with_part(pair[1], "engine", version="9")).comparisons[0])
    assert (row.name, row.title, row.b) == ("engine.version", "Engine version", "9")


def test_a_column_for_each_cell(tasks):
    assert all(len(line.cells) == len(columns()) for line in run_lines(tasks))
    assert columns()[columns().index("J / token") :][:3] == ["J / token", "J / request", "J / correct"]
