"""Prometheus' text format (version 0.0.4) and OpenMetrics, as far as a reader of series needs them.

A page is lines. ``# TYPE name kind`` declares a family, other lines that begin with ``#`` are remarks, and
the rest are samples::

    name{label="value",other="value"} 12.5 1395066363000

In a label's value ``\\\\``, ``\\"`` and ``\\n`` are escapes. The stamp is optional: milliseconds of UTC in
the text format, seconds in OpenMetrics, which may also append an exemplar after `` # ``. A name with
unusual signs stands quoted inside the braces. Definition: the exposition formats page of the Prometheus
documentation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from joulemark.meters.http.answer import Answer
from joulemark.meters.http.deadline import Unanswered

OPENMETRICS = "application/openmetrics-text"

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_PAIR = re.compile(
    r'[ \t]*(?:([a-zA-Z_][a-zA-Z0-9_]*)|"((?:[^"\\]|\\.)*)")[ \t]*(?:=[ \t]*"((?:[^"\\]|\\.)*)")?[ \t]*'
)
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII
)
_ESCAPE = re.compile(r"\\(.)")
_MEANINGS = {"n": "\n", '"': '"', "\\": "\\"}
_COUNTER_SUFFIX = "_total"


class MalformedPage(ValueError):
    """The page is not in this format; the message names the line and what is wrong with it."""


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

    Raises `MalformedPage` for the first line that is neither a sample nor a remark. Lines of names that are
    not wanted are not looked at.
    """
    seconds = content_type.startswith(OPENMETRICS)
    samples: list[Sample] = []
    kinds: dict[str, str] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(" \t\r")
        if not line:
            continue
        if line[0] == "#":
            _read_kind(line, kinds)
            continue
        if wanted is not None and line[0] != "{" and _name_of(line) not in wanted:
            continue
        try:
            sample = _read_sample(line, 1.0 if seconds else 1e-3)
        except ValueError as error:
            raise MalformedPage(f"line {number}: {error}") from error
        if wanted is None or sample.name in wanted:
            samples.append(sample)
    return Exposition(tuple(samples), kinds)


def read_page(page: Answer, wanted: frozenset[str] | None = None) -> Exposition:
    """Read a page's series; raises `Unanswered`: ``not_metrics``, ``malformed_page``."""
    text, content_type = page.body.decode("utf-8", errors="replace"), page.headers.get("content-type", "")
    first = text.lstrip()[:1]
    if content_type.lower().startswith("text/html") or first == "<":
        raise Unanswered("not_metrics", "it is a web page for people")
    if first == "[" or (first == "{" and "json" in content_type):
        raise Unanswered("not_metrics", "it is JSON")
    try:
        return parse_exposition(text, wanted, content_type=content_type)
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


def _read_kind(line: str, kinds: dict[str, str]) -> None:
    words = line[1:].split()
    if len(words) >= 3 and words[0] == "TYPE":
        kinds[words[1].strip('"')] = words[2].lower()


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
    words = rest.split(" # ", 1)[0].split()
    if not 1 <= len(words) <= 2:
        raise ValueError("a value and at most a stamp are wanted after the name")
    t_s = _number(words[1]) * unit_s if len(words) == 2 else None
    return Sample(name, labels, _number(words[0]), t_s, words[0])


def _read_labels(text: str) -> tuple[str, dict[str, str], str]:
    """Read what stands between the braces; return a quoted name, the labels and what follows."""
    name, labels, at = "", dict[str, str](), 0
    while True:
        if text[at : at + 1] == "}" or text[at:].lstrip(" \t").startswith("}"):
            return name, labels, text[text.index("}", at) + 1 :]
        match = _PAIR.match(text, at)
        if match is None:
            raise ValueError("a label is malformed or its quotes do not end")
        bare, quoted, value = match.groups()
        label = bare if bare is not None else _unescaped(quoted)
        if value is not None:
            if label in labels:
                raise ValueError(f"the label {label} stands twice")
            labels[label] = _unescaped(value)
        elif bare is None and not name and not labels:
            name = label
        else:
            raise ValueError(f"the label {label} has no value")
        at = match.end()
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "}":
            raise ValueError("labels are not parted by commas")


def _unescaped(text: str) -> str:
    """Undo the escapes; a backslash before any other sign stands for itself."""
    return _ESCAPE.sub(lambda match: _MEANINGS.get(match.group(1), match.group()), text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return float(text)
