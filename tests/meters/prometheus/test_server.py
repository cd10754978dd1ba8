"""A Prometheus server asked for its latest sample."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs

import pytest

from doubles.prometheus import EPOCH_S, PageServer, QueryServer, Reply
from joulemark.meters.address import MeterAddress
from joulemark.meters.discovery import open_source
from joulemark.meters.prometheus.finding import find_prometheus
from joulemark.meters.source import Finding, SourceLost


class Clock:
    def __init__(self, now_s: float) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


@contextmanager
def scraping(clock: Clock, interval_s: float = 15.0) -> Iterator[tuple[PageServer, QueryServer]]:
    """A server whose target shows a counter of 100 W and knows nothing else."""
    queries = QueryServer(
        lambda name, t_s: {
            "kepler_node_joules_total": 100.0 * t_s,
            "kepler_node_watts": 100.0,
            "draw": 100.0,
        }.get(name),
        clock,
        interval_s,
    )
    with PageServer(queries.answer, clock) as server:
        yield server, queries


def find(server: PageServer, rest: str) -> Finding:
    (finding,) = find_prometheus(MeterAddress.parse(f"prometheus:{server.url}{rest}"))
    return finding


def test_the_sample_comes_with_its_own_instant_and_the_interval_is_seen() -> None:
    clock = Clock(1000.0)
    with scraping(clock) as (server, _):
        finding = find(
            server, '?query=kepler_node_joules_total{job="power"}&power=kepler_node_watts&scope=wall'
        )
        assert finding.spec is not None
        assert finding.info is not None
        assert finding.info.value_age_s == 15 + 5, "the server's interval and the exporter's own"
        assert finding.info.power_window_s == 5
        assert finding.info.quantities == ("energy_j", "power_w")
        source = open_source(finding.spec)
        reading = source.read(0)
        assert reading.values == {"energy_j": 99_000.0, "power_w": 100.0}
        assert reading.t_driver_ns == round((EPOCH_S + 990) * 1e9)


def test_one_sample_does_not_show_how_often_the_server_asks() -> None:
    with scraping(Clock(1000.0), interval_s=400.0) as (server, _):
        finding = find(server, "?query=kepler_node_watts")
        assert finding.spec is None
        assert "does not show how often it asks" in finding.why
        assert find(server, "?query=kepler_node_watts&interval_s=405").spec is not None


def test_the_address_may_be_that_of_the_query_itself() -> None:
    clock = Clock(1000.0)
    with scraping(clock) as (server, _):
        assert find(server, "/api/v1/query?query=kepler_node_watts").spec is not None
        assert find(server, "/?query=kepler_node_watts").spec is not None


def test_a_sample_that_is_no_longer_renewed_is_stale_by_the_servers_clock() -> None:
    clock = Clock(1000.0)
    with scraping(clock) as (server, queries):
        finding = find(server, "?query=kepler_node_watts&interval_s=15")
        assert finding.spec is not None
        source = open_source(finding.spec)
        queries.stops_scraping_s = 1005.0
        clock.now_s = 1030.0  # two scrapes are missing, which happens
        assert source.read(0).values
        clock.now_s = 1060.0
        reading = source.read(0)
        assert reading.values == {}
        assert reading.flags == ("power_w:stale",)
        clock.now_s = 2000.0
        with pytest.raises(SourceLost, match="series_absent"):
            source.read(0)


def test_a_series_without_a_recent_sample_is_none() -> None:
    with scraping(Clock(1000.0)) as (server, _):
        finding = find(server, "?query=no_such_watts")
        assert finding.spec is None
        assert "no sample" in finding.why
        assert "Targets" in finding.fix


def test_an_unknown_unit_has_to_be_said() -> None:
    with scraping(Clock(1000.0)) as (server, _):
        assert "unit=" in find(server, "?query=draw").fix
        assert "how often its exporter renews draw" in find(server, "?query=draw&unit=W").why
        assert find(server, "?query=draw&unit=W&interval_s=30").spec is not None


def expressions(path: str, query: str) -> Reply:
    """A server that reads expressions and, as the real one, allows no range of one."""
    expression = parse_qs(query)["query"][0]
    if expression.endswith("]"):
        return Reply(json.dumps({"status": "error", "errorType": "bad_data", "error": "parse error"}), 400)
    result = [{"metric": {}, "value": [EPOCH_S, "250.5"]}]
    return Reply(json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}))


def test_an_expression_says_nothing_of_the_age_of_its_samples() -> None:
    with PageServer(expressions) as server:
        finding = find(server, "?query=sum(rate(node_joules_total[1m]))&unit=W")
        assert finding.spec is None
        assert "how old" in finding.why
        assert "interval_s" in finding.fix
        assert "unit=" in find(server, "?query=a%2Bb_watts&interval_s=15").fix
        finding = find(server, "?query=a%2Bb&unit=W&interval_s=15&window_s=60")
        assert finding.spec is not None
        assert finding.info is not None
        assert (finding.info.value_age_s, finding.info.power_window_s) == (15, 60)
        reading = open_source(finding.spec).read(0)
        assert reading.values == {"power_w": 250.5}
        assert reading.t_driver_ns is None
        assert any("query=a%2Bb" in path for path, _ in server.requests)


def test_a_scalar_is_an_answer_too() -> None:
    def scalar(path: str, query: str) -> Reply:
        if "%5B" in query:
            return Reply("{}", 400)
        return Reply('{"status":"success","data":{"resultType":"scalar","result":[1.5,"42"]}}')

    with PageServer(scalar) as server:
        finding = find(server, "?query=scalar(x)&unit=W&interval_s=1")
        assert finding.spec is not None
        assert open_source(finding.spec).read(0).values == {"power_w": 42}


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        "null",
        '{"status":"success"}',
        '{"status":"success","data":{"resultType":"vector"}}',
        '{"status":"success","data":{"resultType":"string","result":[1,"x"]}}',
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1]}]}}',
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,5]}]}}',
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"watt"]}]}}',
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":3,"values":[[1,"2"]]}]}}',
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[["x","2"]]}]}}',
        '{"status":"success","data":{"resultType":"matrix","result":"none"}}',
        f'{{"data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[1{"0" * 400},"1"]}}]}}}}',
        f'{{"data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[1{"0" * 5000},"1"]}}]}}}}',
        f'{{"data":{{"resultType":"matrix","result":[{{"metric":{{}},"values":[[1{"0" * 400},"1"]]}}]}}}}',
        '{"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1_0"]}]}}',
        '{"data":{"resultType":"vector","result":[{"metric":{},"value":[1e400,"1"]}]}}',
        "[" * 100_000,
        "a_watts 5\n",
    ],
)
def test_what_is_no_answer_of_a_query_is_none(document: str) -> None:
    with PageServer(lambda _path, _query: Reply(document, kind="application/json")) as server:
        finding = find(server, "?query=a_watts")
        assert finding.spec is None
        assert "no Prometheus server" in finding.why
        assert "#NAME" in finding.fix


def test_several_series_are_told_apart() -> None:
    def two(path: str, query: str) -> Reply:
        rows = [
            {"metric": {"__name__": "a_watts", "job": "x", "zone": z}, "values": [[1, "2"]]} for z in "pq"
        ]
        return Reply(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": rows}}))

    with PageServer(two) as server:
        finding = find(server, "?query=a_watts")
        assert finding.spec is None
        assert '{zone="p"} {zone="q"}' in finding.why


def test_a_query_that_the_server_cannot_read_is_said_with_its_words() -> None:
    refuse: Callable[[str, str], Reply] = lambda _path, _query: Reply('{"error":"unexpected )"}', 400)  # noqa: E731
    with PageServer(refuse) as server:
        finding = find(server, "?query=)")
        assert finding.spec is None
        assert "unexpected )" in finding.why
