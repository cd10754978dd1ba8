"""Prometheus' text format (version 0.0.4) and OpenMetrics, as far as a reader of series needs them.

A page is lines. ``# TYPE name kind`` declares a family, other lines that begin with ``#`` are remarks, and
the rest are samples::

    name{label="value",other="value"} 12.5 1395066363000

In a label's value ``\\\\``, ``\\"`` and ``\\n`` are escapes. The stamp is optional: milliseconds of UTC in
the text format, seconds in OpenMetrics, which may also append an exemplar after `` # ``. A name with
unusual signs stands quoted inside the braces. Definition: the exposition formats page of the Prometheus
documentation.

A page comes from a stranger, so reading it has a budget: of lines, and of characters that are looked at
closely. Both lie far above what exporters show and are read in a fraction of a second.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from joulemark.meters.http.answer import LATEST_S, Answer
from joulemark.meters.http.deadline import Unanswered

OPENMETRICS = "application/openmetrics-text"

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_TEXT = r'"((?:[^"\\]++|\\.)*+)"'
_PAIR = re.compile(rf"[ \t]*+(?:([a-zA-Z_][a-zA-Z0-9_]*+)|{_TEXT})[ \t]*+(?:=[ \t]*+{_TEXT})?[ \t]*+")
_CLOSE = re.compile(r"[ \t]*+}")
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII
)
_MARKUP = re.compile(r"\s*+<")
_JSON = re.compile(rf"\s*+(?:\[|\{{\s*+(?:\}}|{_TEXT}\s*+:))")
_LONGEST_NUMBER = 400  # the largest float, written out
_COUNTER_SUFFIX = "_total"

_MOST_LINES = 250_000
_MOST_LABELS = 100
_CLOSELY = 2 * 2**20  # characters of the lines that are looked at closely
_A_LINE, _A_LABEL = 100, 16  # what each of them, and each of their labels, costs beside its characters


class MalformedPage(ValueError):
    """The page is not in this format; the message names the line and what is wrong with it."""


class ExcessivePage(MalformedPage):
    """The page is above the budget."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of one series. ``t_s`` is its stamp in seconds of UTC, null where the page gives none.

    ``text`` is the value as it was written, which shows how many decimals there are.
    """

    name: str
    labels: Mapping[str, str]
    value: float
    t_s: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Exposition:
    """A page: its samples in order, and the kind (``counter``, ``gauge``, …) of each declared family."""

    samples: tuple[Sample, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> list[Sample]:
        """Return the samples of this name."""
        return [sample for sample in self.samples if sample.name == name]

    def kind(self, name: str) -> str | None:
        """Return the declared kind; OpenMetrics declares a counter without its suffix ``_total``."""
        return self.kinds.get(name) or self.kinds.get(name.removesuffix(_COUNTER_SUFFIX))


def parse_exposition(
    text: str, wanted: Collection[str] | None = None, *, content_type: str = ""
) -> Exposition:
    """Read a page; with ``wanted`` only the samples of these names, which spares the rest of a long page.

    Raises `MalformedPage` for the first line that is neither a sample nor a remark, and `ExcessivePage`.
    Lines of names that are not wanted are not looked at.
    """
    if text.count("\n") >= _MOST_LINES:
        raise ExcessivePage(f"more than {_MOST_LINES:,} lines")
    seconds = content_type.startswith(OPENMETRICS)
    quoted = None if wanted is None else tuple(f'"{_escaped(name)}"' for name in wanted)
    samples: list[Sample] = []
    kinds: dict[str, str] = {}
    left = _CLOSELY
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(" \t\r")
        if not line:
            continue
        if line[0] == "#":
            _read_kind(line, kinds, wanted)
            continue
        if wanted is not None and quoted is not None:
            if line[0] == "{":
                if not any(name in line for name in quoted):
                    continue
            elif _name_of(line) not in wanted:
                continue
        left -= len(line) + _A_LINE
        if left < 0:
            raise ExcessivePage(f"line {number}: too many or too long series")
        try:
            sample = _read_sample(line, 1.0 if seconds else 1e-3)
        except ValueError as error:
            raise MalformedPage(f"line {number}: {error}") from error
        left -= _A_LABEL * len(sample.labels)
        if wanted is None or sample.name in wanted:
            samples.append(sample)
    return Exposition(tuple(samples), kinds)


def read_page(page: Answer, wanted: frozenset[str] | None = None) -> Exposition:
    """Read a page's series; raises `Unanswered`: ``not_metrics``, ``malformed_page``, ``too_large``."""
    text, content_type = page.body.decode("utf-8", errors="replace"), page.headers.get("content-type", "")
    if content_type.lower().startswith("text/html") or _MARKUP.match(text):
        raise Unanswered("not_metrics", "it is a web page for people")
    if _JSON.match(text):
        raise Unanswered("not_metrics", "it is JSON")
    try:
        return parse_exposition(text, wanted, content_type=content_type)
    except ExcessivePage as error:
        raise Unanswered("too_large", str(error)) from error
    except MalformedPage as error:
        raise Unanswered("malformed_page", str(error)) from error


def names_in(text: str) -> Iterator[str]:
    """Yield each series name of a page once, in order, whatever else stands in the lines."""
    seen: set[str] = set()
    for line in text.split("\n"):
        name = _name_of(line.strip(" \t\r"))
        if name and name not in seen:
            seen.add(name)
            yield name


def _name_of(line: str) -> str:
    match = _NAME.match(line)
    return match.group() if match else ""


def number(text: str) -> float:
    """Return a number as the format writes it; raises ``ValueError`` for anything else that Python takes."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return float(text)


def _read_kind(line: str, kinds: dict[str, str], wanted: Collection[str] | None) -> None:
    words = line[1:].split(None, 3)
    if len(words) < 3 or words[0] != "TYPE":
        return
    name = words[1].strip('"')
    if wanted is None or name in wanted or name + _COUNTER_SUFFIX in wanted:
        kinds[name] = words[2].lower()


def _read_sample(line: str, unit_s: float) -> Sample:
    name, labels = _name_of(line), dict[str, str]()
    rest = line[len(name) :].lstrip(" \t")
    if rest.startswith("{"):
        quoted, labels, rest = _read_labels(rest[1:])
        if quoted and name:
            raise ValueError("two names")
        name = name or quoted
    if not name:
        raise ValueError("it begins with no name of a series")
    words = rest.split(" # ", 1)[0].split(None, 2)
    if not 1 <= len(words) <= 2:
        raise ValueError("a value and at most a stamp are wanted after the name")
    t_s = number(words[1]) * unit_s if len(words) == 2 else None
    if t_s is not None and not 0 <= t_s < LATEST_S:
        raise ValueError(f"{words[1][:40]!r} is no stamp of a clock")
    return Sample(name, labels, number(words[0]), t_s, words[0])


def _read_labels(text: str) -> tuple[str, dict[str, str], str]:
    """Read what stands between the braces; return a quoted name, the labels and what follows."""
    name, labels, at = "", dict[str, str](), 0
    while True:
        if (end := _CLOSE.match(text, at)) is not None:
            return name, labels, text[end.end() :]
        match = _PAIR.match(text, at)
        if match is None:
            raise ValueError("a label is malformed or its quotes do not end")
        if len(labels) == _MOST_LABELS:
            raise ValueError(f"it has more than {_MOST_LABELS} labels")
        bare, quoted, value = match.groups()
        label = bare if bare is not None else _unescaped(quoted)
        if value is not None:
            if label in labels:
                raise ValueError(f"the label {label[:40]!r} stands twice")
            labels[label] = _unescaped(value)
        elif bare is None and not name and not labels:
            name = label
        else:
            raise ValueError(f"the label {label[:40]!r} has no value")
        at = match.end()
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "}":
            raise ValueError("labels are not parted by commas")


def _unescaped(text: str) -> str:
    """Undo the escapes; a backslash before any other sign stands for itself."""
    if "\\" not in text:
        return text
    # what stands between two escaped backslashes has none that escapes a backslash
    parts = text.split("\\\\")
    return "\\".join(part.replace('\\"', '"').replace("\\n", "\n") for part in parts)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
