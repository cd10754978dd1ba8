"""A task as a file: where its items come from, how they are asked, how replies are graded.

The format is TOML; docs/tasks.md describes it. Templates and expressions are Jinja over a row's fields. A
file may begin with ``base = "multiple_choice"``, which brings prompts and presets along.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from joulemark.record.errors import InputError
from joulemark.tasks.scorers.later import CODE
from joulemark.tasks.scorers.ungraded import UNGRADED

DEFAULT_PRESET = "default"
_PROGRAMS_OWN = frozenset({"built_in", "file"})
BASES = ("multiple_choice", "word_problem")
_NAME = r"^[a-z][a-z0-9_.-]{0,63}$"


def _as_text(value: Any) -> Any:
    """Return a plain number as the expression that it is too."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Hub(_Part):
    """A data set on the Hugging Face hub.

    ``files`` maps a split to files of the repository by a pattern; without it the hub's own Parquet copy of
    ``config`` (``*``: of all) is read. ``revision`` is the commit that is read unless a user names another.
    """

    repo: str
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    config: str = "default"
    splits: tuple[str, ...] = ()
    files: dict[str, str] = Field(default_factory=dict)
    gated: bool = False


class Data(_Part):
    """Where rows come from and which are asked.

    ``file``: a data file beside the definition; ``problems``: a built-in set of problems for programs;
    ``row``: what a row looks like, for messages; ``texts``:
    fields that must be texts with something in them; ``rows_key``: where a JSON document keeps its rows;
    ``where``: an expression, rows for which it is false are left out. ``split`` is asked; examples come from
    ``example_split``, or are held back from what is asked where there is none.
    """

    hub: Hub | None = None
    file: str | None = None
    problems: Literal["built_in"] | None = None
    row: str
    texts: tuple[str, ...] = ()
    rows_key: str | None = None
    where: str | None = None
    split: str = "test"
    example_split: str | None = None


class Items(_Part):
    """From a row to a question. All but ``question`` and ``working``, which are templates, are expressions.

    ``gold``: the reference (for a choice its letter, or its position from 0); null: the row has none and is
    left out. Only questions of kind ``ungraded`` do without. ``follow_ups``: what the user says after each
    answer, a list of texts: the item is then a conversation of so many turns more. ``options``: texts of the
    options in their order, shuffled (the same for every model) with ``shuffle_options``. ``kind``: which of
    the task's kinds (default: the first); ``group``: examples are taken from the same group; ``id``: a text
    that names the item (default: a digest of question, options and gold); ``working``: what stands before the
    answer of an example. ``image``: a picture that is shown with the question: the path of a file beside the
    data, a ``data:`` URL, or an object with ``bytes``.
    """

    question: str
    gold: str | None = None
    follow_ups: str | None = None
    kind: str | None = None
    options: str | None = None
    shuffle_options: bool = False
    group: str | None = None
    id: str | None = None
    max_tokens: Annotated[str | None, BeforeValidator(_as_text)] = None
    working: str | None = None
    image: str | None = None


class Prompt(_Part):
    """The message that asks a question, the reply of an example, and a system message.

    Templates over ``question``, ``options`` (letter and text pairs), ``option_lines``, ``letters``, ``kind``
    and ``row``; ``example`` has ``gold`` and ``working`` too.
    """

    user: str = "{{ question }}"
    example: str = "{{ gold }}"
    system: str | None = None


class Preset(_Part):
    """A way of asking: what it sets replaces the task's own; null leaves it."""

    n_shot: Annotated[int, Field(ge=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    prompt: Prompt | None = None


class TaskDefinition(_Part):
    """A task. ``kinds``: the kinds of its questions, each with a scorer; ``examples``: whether it takes any.

    ``media``: what its prompts ask for, null for words; only `joulemark media` asks for these.
    ``unavailable`` says why it cannot be run, where it cannot. ``is_canary``: carried, never ranked.
    ``built_in`` and ``file`` are set by the program, not by files.
    """

    name: Annotated[str, Field(pattern=_NAME)]
    title: str
    kinds: Annotated[tuple[str, ...], Field(min_length=1)]
    licence: str = ""
    max_tokens: Annotated[int, Field(ge=1)] = 512
    is_canary: bool = False
    examples: bool = True
    unavailable: str | None = None
    media: Literal["image", "video"] | None = None
    data: Data
    items: Items
    prompt: Prompt = Prompt()
    presets: dict[str, Preset] = Field(default_factory=dict)
    built_in: bool = False
    file: Path | None = None

    @model_validator(mode="after")
    def _graded_by_something(self) -> TaskDefinition:
        if self.items.gold is None and set(self.kinds) != {UNGRADED}:
            raise ValueError(f"items.gold is missing; only questions of kind {UNGRADED} do without")
        if CODE in self.kinds and len(self.kinds) > 1:
            raise ValueError(f"questions of kind {CODE} are graded later, and so never beside others")
        return self

    @property
    def preset_names(self) -> tuple[str, ...]:
        """The ways of asking, the default one first."""
        return (DEFAULT_PRESET, *sorted(self.presets.keys() - {DEFAULT_PRESET}))

    def preset(self, name: str) -> Preset:
        """Return a way of asking; raises `InputError` with those there are."""
        if name in self.presets:
            return self.presets[name]
        if name == DEFAULT_PRESET:
            return Preset()
        raise InputError(
            f"{self.name} has no preset {name!r}",
            why=f"there are {', '.join(self.preset_names)}",
            fix="leave --preset out, or name one of these",
        )


@cache
def _base(name: str) -> dict[str, Any]:
    file = resources.files("joulemark.tasks").joinpath(f"definitions/bases/{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _completed(document: dict[str, Any], origin: str) -> dict[str, Any]:
    """Put a document upon the base that it names: what it says itself replaces the base's, table by table."""
    name = document.pop("base", None)
    if name is None:
        return document
    if name not in BASES:
        raise InputError(
            f"{origin} names the base {name!r}", why=f"there are {', '.join(BASES)}", fix="name one of these"
        )
    return {**_base(name), **document}


def parse_definition(text: str, origin: str, **known: object) -> TaskDefinition:
    """Return the definition in a TOML text; ``origin`` names it in messages. Raises `InputError`."""
    fix = "see docs/tasks.md; `joulemark task show NAME --definition` prints one that works"
    try:
        document = tomllib.loads(text)
        if own := sorted(_PROGRAMS_OWN & document.keys()):
            raise InputError(
                f"{origin} is no task", why=f"{', '.join(own)} is not for a file to say", fix=fix
            )
        return TaskDefinition.model_validate({**_completed(document, origin), **known})
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{origin} is no TOML", why=str(error), fix=fix) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{origin} is no task", why=f"{where}: {first['msg']}", fix=fix) from error


def read_definition(path: Path) -> TaskDefinition:
    """Read a task's file; raises `InputError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"the task {path} cannot be read", why=why, fix="`joulemark task list` shows the tasks there are"
        ) from error
    return parse_definition(text, str(path), file=path)
