"""Which tasks there are, and loading one by its name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

from joulemark.record.errors import InputError
from joulemark.tasks import gsm8k, quick
from joulemark.tasks.subset import DEFAULT_KEY
from joulemark.tasks.task import TaskSet


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked of a task; null where left to the task."""

    data: Path | None = None
    limit: int | None = None
    n_shot: int | None = None
    subset_key: str = DEFAULT_KEY


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task as `describe_tasks` lists it. ``data`` says where its items come from."""

    name: str
    title: str
    data: str
    kinds: tuple[str, ...]
    default_n_shot: int
    max_tokens: int


Loader = Callable[[Request], TaskSet]


def _load_quick(request: Request) -> TaskSet:
    for option, value in (("--data", request.data), ("--shots", request.n_shot)):
        if value:
            raise InputError(
                f"quick takes no {option}",
                why="its items are built in and asked without examples",
                fix=f"leave {option} out, or name a task that reads a file, such as gsm8k",
            )
    return quick.load(request.limit, request.subset_key)


def _load_gsm8k(request: Request) -> TaskSet:
    return gsm8k.load(request.data, request.limit, request.n_shot or 0, request.subset_key)


_TASKS: Mapping[str, tuple[TaskInfo, Loader]] = MappingProxyType(
    {
        "quick": (
            TaskInfo(
                "quick",
                "short sums, facts and choices for a first measurement",
                "built in",
                ("numeric", "text", "choice"),
                0,
                quick.MAX_TOKENS,
            ),
            _load_quick,
        ),
        "gsm8k": (
            TaskInfo(
                "gsm8k",
                "grade-school word problems, final answer a number",
                f"--data FILE, JSONL of {gsm8k.EXPECTED}",
                ("numeric",),
                0,
                gsm8k.MAX_TOKENS,
            ),
            _load_gsm8k,
        ),
    }
)


def _unknown(name: str) -> InputError:
    known = sorted(_TASKS)
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return InputError(
        f"there is no task {name!r}",
        why=f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}",
        fix="`joulemark task list` shows all of them",
    )


def load_task(
    name: str,
    *,
    data: Path | None = None,
    limit: int | None = None,
    n_shot: int | None = None,
    subset_key: str = DEFAULT_KEY,
) -> TaskSet:
    """Load a task's questions in asking order.

    The order is a random one that ``subset_key`` fixes, the same for every model; ``limit`` takes its first
    items (all, where there are fewer). Raises `InputError` for an unknown name, an option that the task does
    not take and a missing or malformed file.
    """
    if name not in _TASKS:
        raise _unknown(name)
    for option, value, least in (("--limit", limit, 1), ("--shots", n_shot, 0)):
        if value is not None and value < least:
            raise InputError(f"{option} {value} is not possible", why=f"it must be at least {least}")
    _, loader = _TASKS[name]
    return loader(Request(data, limit, n_shot, subset_key))


def describe_tasks() -> list[dict[str, object]]:
    """Return one entry a task: name, title, data, kinds, default_n_shot, max_tokens."""
    return [asdict(info) for info, _ in _TASKS.values()]
