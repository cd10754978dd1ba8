"""The text format, held against the reference parser of the Prometheus project."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families as families

from joulemark.meters.http.answer import Answer
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.exposition import (
    OPENMETRICS,
    ExcessivePage,
    Exposition,
    MalformedPage,
    Sample,
    names_in,
    parse_exposition,
    read_page,
)

NAMES = st.from_regex(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,20}", fullmatch=True)
# names that begin with two underscores are Prometheus's own, and the reference refuses them
LABEL_NAMES = st.from_regex(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e")
)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


def reference(
    text: str, *, openmetrics: bool = False
) -> list[tuple[str, dict[str, str], float, float | None]]:
    found = openmetrics_families(text) if openmetrics else families(text)
    return [
        (sample.name, dict(sample.labels), float(sample.value), _seconds(sample.timestamp))
        for family in found
        for sample in family.samples
    ]


def _seconds(stamp: Any) -> float | None:
    return None if stamp is None else float(stamp)


def same(ours: Exposition, theirs: list[tuple[str, dict[str, str], float, float | None]]) -> bool:
    def one(sample: Sample, other: tuple[str, dict[str, str], float, float | None]) -> bool:
        name, labels, value, t_s = other
        equal = sample.value == value or (math.isnan(sample.value) and math.isnan(value))
        stamped = sample.t_s == t_s or (
            sample.t_s is not None and t_s is not None and sample.t_s == pytest.approx(t_s, rel=1e-12)
        )
        return sample.name == name and dict(sample.labels) == labels and equal and stamped

    return len(ours.samples) == len(theirs) and all(map(one, ours.samples, theirs))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


@st.composite
def lines(draw: st.DrawFn) -> str:
    name = draw(NAMES)
    labels = draw(st.dictionaries(LABEL_NAMES, TEXTS, max_size=3))
    value = draw(NUMBERS)
    stamp = draw(st.none() | st.integers(0, 2**43))
    space = draw(st.sampled_from([" ", "  ", "\t"]))
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    comma = "," if labels and draw(st.booleans()) else ""
    braces = f"{{{inside}{comma}}}" if labels or draw(st.booleans()) else ""
    number = {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN" if math.isnan(value) else repr(value))
    return f"{name}{braces}{space}{number}{'' if stamp is None else f'{space}{stamp}'}"


@settings(deadline=None)
@given(st.lists(lines(), max_size=5))
def test_samples_are_those_of_the_reference_parser(page: list[str]) -> None:
    text = "# a remark\n" + "\n".join(page) + "\n"
    # the reference groups what follows each other under one name, in the page's order
    assert same(parse_exposition(text), reference(text))


@settings(deadline=None)
@given(
    st.dictionaries(
        LABEL_NAMES.filter(lambda name: name not in ("le", "__name__")), TEXTS, min_size=1, max_size=3
    ),
    st.floats(0, 1e15),
    st.floats(-1e6, 1e6),
)
def test_what_the_reference_writes_is_read(labels: dict[str, str], energy_j: float, power_w: float) -> None:
    labels = {name: text for name, text in labels.items() if not name.startswith("__")}
    registry = CollectorRegistry()
    Counter("energy_joules", "Joules.", list(labels), registry=registry).labels(**labels).inc(energy_j)
    Gauge("power_watts", "A \\ and a\nline.", list(labels), registry=registry).labels(**labels).set(power_w)
    Histogram("times", "Seconds.", registry=registry).observe(3.0)
    text = generate_latest(registry).decode()
    page = parse_exposition(text)
    assert same(page, reference(text))
    assert page.kind("energy_joules_total") == "counter"
    assert page.kind("power_watts") == "gauge"
    (sample,) = page.of("energy_joules_total")
    assert (dict(sample.labels), sample.value) == (labels, energy_j)

    modern = generate_openmetrics(registry).decode()
    read = parse_exposition(modern, content_type=f"{OPENMETRICS}; version=1.0.0")
    assert same(read, reference(modern, openmetrics=True))
    assert read.kind("energy_joules_total") == "counter"


def test_stamps_are_milliseconds_there_and_seconds_here() -> None:
    (sample,) = parse_exposition("a 1 1395066363250").samples
    assert sample.t_s == 1395066363.25
    (sample,) = parse_exposition("# TYPE a gauge\na 1 1395066363.25\n# EOF", content_type=OPENMETRICS).samples
    assert sample.t_s == 1395066363.25


def test_an_exemplar_is_no_value() -> None:
    line = 'a_total{path="x # y"} 17.5 # {trace_id="KOO5S4vxi0o"} 0.67 1520879607.7'
    (sample,) = parse_exposition(line, content_type=OPENMETRICS).samples
    assert (sample.value, sample.t_s, sample.labels["path"]) == (17.5, None, "x # y")


def test_a_quoted_name_is_a_name() -> None:
    (sample,) = parse_exposition('{"energy.joules", zone="a"} 5').samples
    assert (sample.name, sample.labels) == ("energy.joules", {"zone": "a"})
    assert same(
        parse_exposition('{"energy.joules",zone="a"} 5\n'), reference('{"energy.joules",zone="a"} 5\n')
    )


@pytest.mark.parametrize(
    "line",
    [
        "a",
        "a 1 2 3",
        "a one",
        "a 1_000",
        "a ٣",
        'a{b="c} 1',
        'a{b="c" d="e"} 1',
        'a{b="c",b="d"} 1',
        "a{b=c} 1",
        "a{b} 1",
        'a{"x",b="c"} 1',
        'a{b="c"',
        "{} 1",
        "-a 1",
        "<html>",
        "a 0x10",
        'a{b="c"}1 2 3',
    ],
)
def test_a_malformed_line_is_named(line: str) -> None:
    with pytest.raises(MalformedPage, match="line 2:"):
        parse_exposition(f"good 1\n{line}\n")


def test_lines_that_nobody_wants_are_not_looked_at() -> None:
    page = parse_exposition("bad one\nother 1\nwanted 2\n", frozenset({"wanted"}))
    assert [(sample.name, sample.value) for sample in page.samples] == [("wanted", 2.0)]
    with pytest.raises(MalformedPage):
        parse_exposition("wanted two\n", frozenset({"wanted"}))


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        page = parse_exposition(text)
    except MalformedPage:
        list(names_in(text))
        return
    assert all(sample.name for sample in page.samples)


PAGE_BYTES = 8 * 2**20
EXCESSIVE = {
    "labels of one line": "m{" + ",".join(f'a{i}="x"' for i in range(600_000)) + "} 1",
    "labels of many lines": ("m{" + ",".join(f'a{i}=""' for i in range(100)) + "} 1\n") * 5000,
    "short lines": "m 1\n" * (PAGE_BYTES // 4),
    "lines of others": ("a" * 30 + " 1\n") * 249_000,
    "quoted lines": '{"m"} 1\n' * 249_000,
    "empty lines": "\n" * PAGE_BYTES,
    "escapes": 'm{a="' + "\\n" * (PAGE_BYTES // 2),
    "escaped backslashes": 'm{a="' + "\\\\" * 2**19 + '"} 1',
    "an open text": 'm{a="' + "\\x" * 2**19,
    "blanks": "m{a" + " " * 2**20 + "=} 1",
    "a remark of many words": "# TYPE " + "a " * (PAGE_BYTES // 2),
    "types": "# TYPE aaaaaaaaaaaaaaaaaa counter\n" * 249_000,
    "digits": "m " + "1" * PAGE_BYTES,
}


@pytest.mark.parametrize("name", EXCESSIVE)
def test_a_page_of_any_kind_is_read_or_refused_at_once(name: str) -> None:
    """In a second of processor time; a budget by the clock of the wall would be one of the machine's load."""
    begin_s = time.process_time()
    with contextlib.suppress(MalformedPage):
        assert len(parse_exposition(EXCESSIVE[name], frozenset({"m"})).samples) <= 1
    assert time.process_time() - begin_s < 1.0


def test_a_page_above_the_budget_says_so() -> None:
    for text, why in (("m 1\n" * 250_000, "250,000 lines"), ("m 1\n" * 30_000, "too many")):
        with pytest.raises(ExcessivePage, match=why):
            parse_exposition(text)
        with pytest.raises(Unanswered, match="too_large"):
            read_page(Answer(200, {}, text.encode()), frozenset({"m"}))
    with pytest.raises(MalformedPage, match="more than 100 labels"):
        parse_exposition("m{" + ",".join(f'a{i}=""' for i in range(101)) + "} 1")


def test_what_exporters_of_large_machines_show_is_within_it() -> None:
    """Eight boards of seven instances, twenty fields, two pods each; and a node's page of 40,000 lines."""
    labels = ",".join(f'some_label_{i}="a value of twenty"' for i in range(14))
    page = f"m{{{labels}}} 1\n" * (8 * 7 * 20 * 2)
    assert len(parse_exposition(page, frozenset({"m"})).samples) == 2240
    page += "node_cpu_seconds_total{} 1\n" * 40_000
    assert len(parse_exposition(page, frozenset({"m"})).samples) == 2240


def test_a_quoted_name_is_found_among_others() -> None:
    page = '{"other.joules"} 1\n{"energy.joules",zone="a\\"b"} 5\n{"a\\"b"} 7\n{"malformed\n'
    (sample,) = parse_exposition(page, frozenset({"energy.joules"})).samples
    assert (sample.value, sample.labels) == (5, {"zone": 'a"b'})
    (sample,) = parse_exposition(page, frozenset({'a"b'})).samples
    assert (sample.name, sample.value) == ('a"b', 7)


def test_the_names_of_a_page_come_once_whatever_is_wrong_with_it() -> None:
    assert list(names_in('# TYPE a gauge\na{b="1"} 1\na{b="2"} 2\n}{\nc')) == ["a", "c"]
