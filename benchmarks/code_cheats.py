"""Programs that are not right, for `code_harness`: which of them does a procedure pass?

They are programs of the self-test, those that can do no harm outside a sandbox: they end, lie, forge or hang,
and touch no file, network or other process. The published procedures get the self-test's problem as one
assertion; ours runs the self-test's own cases.
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.program_case import ProgramCase, program_cases
from joulemark.code.selftest.task import new_task

HARMLESS = (
    *("classes_that_lie", "coroutine", "dict_that_lies", "empty", "equal_to_everything", "everything"),
    *("exception_that_lies", "exit_at_import", "exit_in_call", "generator", "hard_exit_at_import"),
    *("hard_exit_in_call", "infinite_loop", "integer_that_lies", "keyboard_interrupt", "list_that_lies"),
    *("loop_at_import", "not_a_number", "not_implemented", "nothing", "patched_builtins", "printed_verdict"),
    *("segmentation_fault", "sleep", "stack_overflow", "syntax_error", "truth"),
)


@dataclass(frozen=True, slots=True)
class Cheat:
    """A program that must not pass, and an assertion that the right answer would meet."""

    name: str
    source: str
    assertion: str


def cheats() -> tuple[list[Cheat], list[ProgramCase]]:
    """Return them for others, and the self-test's cases of the same programs."""
    cases = {one.name: one for one in program_cases() if isinstance(one, ProgramCase)}
    chosen = [cases[name] for name in HARMLESS]
    task = new_task()
    call = f"solve({list(task.values)!r}, {task.rounds})"
    return [Cheat(one.name, one.source, f"assert {call} == {task.answer}") for one in chosen], chosen


def caught_by_us(sandbox: Sandbox, cases: list[ProgramCase]) -> set[str]:
    """Return the names of those that our sandbox and judge do not pass."""
    return {one.name for one in cases if one(sandbox).passed}
