"""``joulemark code draft-generator``: a model writes what makes a problem's tests, and it is checked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from joulemark.cli.measure_options import ENGINE_OPTIONS
from joulemark.cli.options import FiniteRange

if TYPE_CHECKING:
    from joulemark.code.contain.containment import Containment
    from joulemark.code.drafting.direct_tests import DirectTests
    from joulemark.code.drafting.tries import Try
    from joulemark.code.drafting.voice import Answer, Manner
    from joulemark.code.problems.problem import Problem

Command = TypeVar("Command", bound=Callable[..., Any])
_SANDBOX_S = 5.0  # of CPU time for one input, or one call of the canonical solution

_ASKING = (
    *ENGINE_OPTIONS,
    click.option(
        "--n-ctx", type=click.IntRange(min=64), help="Context of one request (embedded engine, Ollama)."
    ),
    click.option("--threads", type=click.IntRange(min=1), help="Threads of the embedded engine."),
    click.option("--temperature", type=FiniteRange(0, 2), default=0.0, show_default=True),
    click.option("--top-p", type=FiniteRange(0, 1, min_open=True), default=1.0, show_default=True),
    click.option(
        "--seed", type=click.IntRange(0, 2**62), help="Sent to the engine; try t is asked with seed + t."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1, 10_000_000),
        default=2048,
        show_default=True,
        help="Budget of one answer.",
    ),
    click.option("--retries", type=click.IntRange(min=0), default=2, show_default=True),
    click.option(
        "--timeout",
        "timeout_s",
        type=FiniteRange(min=1),
        default=600.0,
        show_default=True,
        help="Seconds for one request.",
    ),
)


def _asking(command: Command) -> Command:
    for option in reversed(_ASKING):
        command = option(command)
    return command


@click.command("draft-generator")
@click.argument("name", metavar="PROBLEM")
@click.option("--id", "problem_id", metavar="ID", help="Which problem of a file that holds several.")
@click.option("--kind", metavar="KIND", help="What a file holds, where that cannot be told.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.py|FILE.jsonl",
    help="Write the problem with an accepted generator here; nothing is written otherwise.",
)
@click.option(
    "--tries",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="Further tries, told what failed.",
)
@click.option(
    "--distinct",
    "least_distinct",
    type=click.IntRange(2, 1000),
    default=20,
    show_default=True,
    help="So many inputs of those that are made must differ.",
)
@click.option(
    "--direct-tests",
    "n_tests",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Have N tests written directly as well, and say how many are right.",
)
@_asking
@click.option("--json", "as_json", is_flag=True, help="Print every try with all that was found, as JSON.")
def draft_generator(
    name: str,
    problem_id: str | None,
    kind: str | None,
    out: Path | None,
    tries: int,
    least_distinct: int,
    n_tests: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Have a model write a generator of tests for PROBLEM, and accept it only if it is sound.

    PROBLEM: a built-in problem's name, or a file of any known origin. The generator must load in the sandbox,
    be deterministic, make arguments of the examples' types that the canonical solution accepts, differ by
    size, shape and seed, and agree with brute force where there is one. Exit code 1: none was accepted.
    """
    import orjson

    from joulemark.cli.engine_choice import engine_of, with_found_engine
    from joulemark.cli.progress import TerminalObserver
    from joulemark.code.contain.containment import probe
    from joulemark.code.contain.limits import Limits
    from joulemark.code.contain.sandbox import Sandbox
    from joulemark.code.drafting.direct_tests import judge_tests
    from joulemark.code.drafting.prompt import tests_prompt
    from joulemark.code.drafting.target import Target
    from joulemark.code.drafting.tries import draft_generator as draft
    from joulemark.code.drafting.voice import Voice
    from joulemark.code.problems.registry import load_problems
    from joulemark.record.errors import InputError
    from joulemark.report.code_drafts import Drafted, drafts_json, print_drafts

    found = load_problems(name, kind=kind)
    problem = _one_of(found.problems, name, problem_id)
    if n_tests is not None and problem.reads_input:
        raise InputError(
            "--direct-tests is for functions", why=f"{problem.problem_id} is a program that reads its input"
        )
    target = None if out is None else Target(out, found, problem)
    containment = probe()
    _say_what_is_missing(containment)
    direct: tuple[DirectTests, Answer] | None = None
    with (
        TerminalObserver() as observer,
        Sandbox(containment, Limits(wall_s=6 * _SANDBOX_S, cpu_s=_SANDBOX_S)) as sandbox,
        Voice(
            engine_of({**with_found_engine(options), "concurrency": 1}, observer), _manner(options)
        ) as voice,
    ):
        asked = f"asking {voice.name} for a generator of {problem.problem_id}"
        observer.stage(f"{asked}, {tries} further tries at most")
        done = draft(
            voice.ask,
            sandbox,
            problem,
            more=tries,
            least_distinct=least_distinct,
            writable=None if target is None else lambda one: target.why_not(sandbox, one),
            told=lambda one: observer.stage(_said_of(one)),
        )
        if target is not None and done[-1].draft is not None and done[-1].is_accepted:
            target.write(done[-1].draft)
        if n_tests is not None:
            observer.stage(f"asking {voice.name} for {n_tests} tests, written directly")
            answer = voice.ask([("user", tests_prompt(problem, n_tests))], len(done))
            direct = judge_tests(sandbox, problem, answer.text, n_tests), answer
        model, engine = voice.name, voice.kind
    drafted = Drafted(problem, model, engine, containment.missing, done, out, direct)
    if as_json:
        click.echo(orjson.dumps(drafts_json(drafted), option=orjson.OPT_INDENT_2).decode())
    else:
        print_drafts(drafted, click.echo)
    if not done[-1].is_accepted:
        sys.exit(1)


def _one_of(problems: tuple[Problem, ...], name: str, problem_id: str | None) -> Problem:
    from joulemark.record.errors import InputError

    chosen = [one for one in problems if problem_id is None or one.problem_id == problem_id]
    if len(chosen) == 1:
        return chosen[0]
    ids = ", ".join(one.problem_id for one in problems[:5]) + (", …" if len(problems) > 5 else "")
    if problem_id is not None:
        raise InputError(f"{name} holds no problem {problem_id!r}", why=f"it holds {ids}")
    raise InputError(
        f"{name} holds {len(problems)} problems", why="a generator is for one", fix=f"--id ID, one of {ids}"
    )


def _manner(options: dict[str, Any]) -> Manner:
    from joulemark.code.drafting.voice import Manner

    names = ("max_tokens", "temperature", "top_p", "seed", "retries", "timeout_s")
    return Manner(**{name: options[name] for name in names})


def _say_what_is_missing(containment: Containment) -> None:
    from joulemark.report.wording import printable

    for one in containment.missing:
        click.echo(f"! generated code is held by less than the whole: {printable(one)}", err=True)


def _said_of(one: Try) -> str:
    took = f"try {one.number}, {one.answer.seconds:.1f} s"
    if one.is_accepted:
        return f"{took}: accepted"
    return f"{took}: not accepted, for {len(one.failures)} reason{'s' * (len(one.failures) != 1)}"
