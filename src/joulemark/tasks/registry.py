"""Which tasks there are, and loading one by its name or its file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from types import MappingProxyType

from joulemark.record.errors import InputError
from joulemark.tasks import hub
from joulemark.tasks.assemble import Choices, assemble
from joulemark.tasks.definition import DEFAULT_PRESET, TaskDefinition, parse_definition, read_definition
from joulemark.tasks.rows import DataSet, Source, parse_contents, read_path
from joulemark.tasks.scorers import CODE
from joulemark.tasks.subset import DEFAULT_KEY
from joulemark.tasks.suites import SUITES
from joulemark.tasks.task import TaskSet

ENTRY_POINTS = "joulemark.tasks"
_PACKAGE = "joulemark.tasks"
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task as `describe_tasks` lists it. ``data`` says where its items come from."""

    name: str
    title: str
    data: str
    kinds: tuple[str, ...]
    presets: tuple[str, ...]
    max_tokens: int
    is_canary: bool
    licence: str
    unavailable: str | None


@cache
def built_in_tasks() -> Mapping[str, TaskDefinition]:
    """Return the tasks that come with Joulemark, by name."""
    folder = resources.files(_PACKAGE).joinpath("definitions")
    texts = {
        file.name: file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(_SUFFIX)
    }
    found = [parse_definition(text, name, built_in=True) for name, text in sorted(texts.items())]
    return MappingProxyType({definition.name: definition for definition in found})


def definition_text(name: str) -> str:
    """Return the file of a task; raises `InputError`."""
    definition = find_task(name)
    if definition.built_in:
        return resources.files(_PACKAGE).joinpath(f"definitions/{name}{_SUFFIX}").read_text(encoding="utf-8")
    assert definition.file is not None  # every other one was read from a file
    return definition.file.read_text(encoding="utf-8")


@cache
def known_tasks() -> Mapping[str, TaskDefinition]:
    """Return the built-in tasks and those that installed packages add, by name; a package hides none.

    An entry point of the group ``joulemark.tasks`` is a definition's path.
    """
    found = dict(built_in_tasks())
    for point in metadata.entry_points(group=ENTRY_POINTS):
        definition = read_definition(Path(point.load()))
        found.setdefault(definition.name, definition)
    return MappingProxyType(found)


def find_task(name: str) -> TaskDefinition:
    """Return a task by its name, or by the path of its file; raises `InputError`."""
    if name.endswith(_SUFFIX):
        definition = read_definition(Path(name))
        if definition.name in known_tasks():
            raise InputError(
                f"the task in {name} cannot be called {definition.name!r}",
                why="a task of that name is known already, and figures of the two would be taken for one",
                fix="give it another name",
            )
        return definition
    if name not in known_tasks():
        raise _unknown(name)
    return known_tasks()[name]


def _unknown(name: str) -> InputError:
    known = sorted({*known_tasks(), *SUITES})
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return InputError(
        f"there is no task {name!r}",
        why=f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}",
        fix="`joulemark task list` shows all of them; a task of your own is named by its file, FILE.toml",
    )


def load_task(
    task: str | TaskDefinition,
    *,
    data: Path | None = None,
    limit: int | None = None,
    n_shot: int | None = None,
    split: str | None = None,
    preset: str = DEFAULT_PRESET,
    revision: str | None = None,
    subset_key: str = DEFAULT_KEY,
    nonce: str | None = None,
    for_media: bool = False,
    rows: tuple[DataSet, str] | None = None,
    item_ids: tuple[str, ...] | None = None,
) -> TaskSet:
    """Load a task's questions in asking order.

    The order is a random one that ``subset_key`` and ``nonce`` fix, the same for every model; ``limit`` takes
    its first items (all, where there are fewer), of those that ``item_ids`` names where it does. ``data``:
    the items' file or folder in place of the hub's; ``revision``: a commit of the hub; ``for_media``: what
    answers makes pictures or videos; ``rows``: the items, read by somebody else, and where they came from: so
    problems for programs are loaded (`joulemark.code.joined.load_code_task`). Raises `InputError` for an
    unknown name, an option that the task does not take and missing or malformed data.
    """
    for option, value, least in (("--limit", limit, 1), ("--shots", n_shot, 0)):
        if value is not None and value < least:
            raise InputError(f"{option} {value} is not possible", why=f"it must be at least {least}")
    definition = find_task(task) if isinstance(task, str) else task
    if definition.media is not None and not for_media:
        wanted = "pictures" if definition.media == "image" else "videos"
        raise InputError(
            f"{definition.name} asks for {wanted}, not words",
            why="no language model answers that",
            fix=f"joulemark media PIPELINE --kind {definition.name}",
        )
    if definition.unavailable is not None:
        raise InputError(
            f"{definition.name} cannot be run yet",
            why=definition.unavailable,
            fix="`joulemark task list` shows the tasks that can",
        )
    if rows is None and CODE in definition.kinds:
        raise InputError(
            f"{definition.name} cannot be loaded as other tasks are",
            why="its answers are programs, and what judges them is read with the questions",
            fix=f"joulemark bench run {definition.name}",
        )
    found, source = _data(definition, data, revision) if rows is None else rows
    choices = Choices(limit, n_shot, split, preset, subset_key, nonce, item_ids)
    return assemble(definition, found, choices, source=source)


def _data(definition: TaskDefinition, path: Path | None, revision: str | None) -> tuple[DataSet, str]:
    """Return a task's rows and where they came from."""
    data = definition.data
    if revision is not None and (path is not None or data.hub is None):
        raise InputError(
            f"--revision {revision} has nothing to choose from",
            why="the items do not come from the hub",
            fix="leave --revision out",
        )
    if definition.built_in and data.file is not None:
        if path is not None:
            raise InputError(
                f"{definition.name} takes no --data",
                why="its items are built in",
                fix="leave --data out, or name a task that reads a file, such as gsm8k",
            )
        place = Source(Path(data.file), data.split, definition.name)
        content = resources.files(_PACKAGE).joinpath(f"data/{data.file}").read_bytes()
        return parse_contents([(place, content)], data.file, data.rows_key, data.row), "built in"
    if path is None and data.file is not None:
        path = (definition.file or Path()).parent / data.file
        if Path(data.file).is_absolute() or ".." in Path(data.file).parts:
            raise InputError(
                f"the task's file {data.file} is not beside its definition",
                why="a definition from somebody else must not read whatever it names",
                fix="put the file beside the definition, or name it with --data",
            )
    if path is not None:
        return read_path(path, split=data.split, rows_key=data.rows_key, expected=data.row), "file"
    if data.hub is None:
        raise InputError(
            f"{definition.name} needs its items",
            why="joulemark ships none, and they are on no hub",
            fix=f"pass --data FILE, whose rows are {data.row}",
        )
    fetched = hub.fetch(data.hub, revision=revision, rows_key=data.rows_key, expected=data.row)
    return fetched.data, fetched.source


def describe_tasks() -> list[TaskInfo]:
    """Return one entry a task."""
    return [_described(definition) for definition in known_tasks().values()]


def _described(definition: TaskDefinition) -> TaskInfo:
    data = definition.data
    places = []
    if definition.built_in and (data.file is not None or data.problems is not None):
        places.append("built in")
    elif data.file is not None:
        places.append(data.file)
    if data.hub is not None:
        places.append(f"hub {data.hub.repo}")
    if not definition.built_in or data.file is None:
        places.append("--data FILE")
    return TaskInfo(
        name=definition.name,
        title=definition.title,
        data=" or ".join(places),
        kinds=definition.kinds,
        presets=definition.preset_names,
        max_tokens=definition.max_tokens,
        is_canary=definition.is_canary,
        licence=definition.licence,
        unavailable=definition.unavailable,
    )
