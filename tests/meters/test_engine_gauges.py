"""The engine's own account of its batch: which series count, where they are found, and what is no page."""

from __future__ import annotations

import json
import time
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.engine_pages import MODEL, PAGES, Batch, EnginePages, Said, labels, models_page, slots_page
from joulemark.meters.discovery import open_source
from joulemark.meters.engine_gauges import EngineAddress, find_engine_gauges
from joulemark.meters.engine_gauges.dialect import DIALECTS
from joulemark.meters.engine_gauges.page import Account, account_of
from joulemark.meters.engine_gauges.slots import account_of_slots
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.exposition import parse_exposition
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.telemetry import Reading

BATCH = Batch(running=3, waiting=2, kv=0.25, preemptions=4, prompt=1200, generated=340)
KEY = "Bearer sk-very-secret"


def told(kind: str, page: str, model: str = MODEL, aliases: tuple[str, ...] = ()) -> Account:
    return account_of(parse_exposition(page, DIALECTS[kind].names), DIALECTS[kind], model, aliases)


def address(server: EnginePages, kind: str | None = None, **changes: object) -> EngineAddress:
    fields = {"kind": kind or server.kind, "model": MODEL, "scheme": "http", "host": "127.0.0.1"}
    return EngineAddress(**{**fields, "port": server.port, **changes})  # type: ignore[arg-type]


def found(server: EnginePages, **changes: object) -> Finding:
    finding = find_engine_gauges(address(server, **changes))  # type: ignore[arg-type]
    assert finding is not None
    return finding


def read_once(finding: Finding) -> Reading:
    assert finding.spec is not None
    with closing(open_source(finding.spec)) as source:
        return source.read(0)


@pytest.mark.parametrize(
    ("kind", "absent"), [("vllm", set()), ("sglang", set()), ("llama.cpp", {"kv_used_share", "preemptions"})]
)
def test_each_engine_is_understood(kind: str, absent: set[str]) -> None:
    whole = {
        "requests_running": 3.0,
        "requests_waiting": 2.0,
        "kv_used_share": 0.25,
        "preemptions": 4.0,
        "prompt_tokens": 1200.0,
        "generation_tokens": 340.0,
    }
    account = told(kind, PAGES[kind](BATCH))
    assert account.values == {name: value for name, value in whole.items() if name not in absent}
    assert not account.faults


def test_tgi_shows_batch_queue_and_tokens() -> None:
    assert told("tgi", PAGES["tgi"](BATCH)).values == {
        "requests_running": 3.0,
        "requests_waiting": 2.0,
        "prompt_tokens": 1200.0,
        "generation_tokens": 340.0,
    }


def test_an_older_vllm_calls_the_cache_otherwise() -> None:
    page = f"vllm:gpu_cache_usage_perc{labels(model_name=MODEL)} 0.5\n"
    assert told("vllm", page).values == {"kv_used_share": 0.5}
    both = page + f"vllm:kv_cache_usage_perc{labels(model_name=MODEL)} 0.75\n"
    assert told("vllm", both).values == {"kv_used_share": 0.75}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 500), st.floats(0, 1)), min_size=1, max_size=8))
def test_engines_behind_one_page_are_added_and_their_shares_averaged(parts: list[tuple[int, float]]) -> None:
    page = "".join(
        f"vllm:num_requests_running{labels(engine=str(k), model_name=MODEL)} {running}\n"
        f"vllm:kv_cache_usage_perc{labels(engine=str(k), model_name=MODEL)} {share!r}\n"
        for k, (running, share) in enumerate(parts)
    )
    values = told("vllm", page).values
    assert values["requests_running"] == sum(running for running, _ in parts)
    assert values["kv_used_share"] == pytest.approx(sum(share for _, share in parts) / len(parts))


def test_ranks_that_share_a_batch_count_once() -> None:
    """Two data-parallel groups of two tensor-parallel ranks each; every rank shows its group's batch."""
    page = "".join(
        f"sglang:num_running_reqs{labels(dp_rank=str(dp), tp_rank=str(2 * dp + tp), pp_rank='0')} {10 + dp}\n"
        for dp in range(2)
        for tp in range(2)
    )
    assert told("sglang", page).values == {"requests_running": 21.0}


def test_the_breakdown_by_priority_is_not_added_to_the_whole() -> None:
    page = "".join(
        f"sglang:num_running_reqs{labels(model_name=MODEL, priority=priority)} {n}\n"
        for priority, n in (("", 7), ("0", 4), ("1", 3))
    )
    assert told("sglang", page).values == {"requests_running": 7.0}


def test_a_counter_that_appears_with_its_first_count_is_zero_where_the_release_has_it() -> None:
    current = PAGES["sglang"](Batch(running=1))
    assert told("sglang", current).values["preemptions"] == 0.0
    older = "".join(line for line in current.splitlines(True) if "kv_used_tokens" not in line)
    assert "preemptions" not in told("sglang", older).values


def test_of_several_models_the_one_that_is_asked_counts() -> None:
    page = "".join(
        f"vllm:num_requests_running{labels(model_name=name)} {n}\n" for name, n in ((MODEL, 2), ("other", 40))
    )
    assert told("vllm", page).values == {"requests_running": 2.0}
    assert told("vllm", page, "third") == Account({}, ("requests_running:ambiguous",))
    assert told("vllm", page, "third", ("other",)).values == {"requests_running": 40.0}
    assert told("vllm", page, "third", ("other", MODEL)).faults == ("requests_running:ambiguous",)
    assert told("vllm", page, MODEL, ("other",)).values == {"requests_running": 2.0}


def test_another_models_gauges_are_not_this_ones() -> None:
    single = f"vllm:num_requests_running{labels(model_name='OTHER')} 2\n"
    assert told("vllm", single) == Account({}, ("requests_running:other_model",))
    assert told("vllm", single, aliases=("OTHER", MODEL)).values == {"requests_running": 2.0}
    assert told("vllm", "vllm:num_requests_running 2\n").values == {"requests_running": 2.0}


@pytest.mark.parametrize(
    ("listed", "is_read"),
    [
        (Said(models_page("made/alias", MODEL)), True),
        (Said(models_page("made/alias")), False),
        (Said("", 404), False),
        (Said("[" * 5000), False),
        (Said('{"data": [7, {"id": null}]}'), False),
        (Said('{"data": 7}'), False),
    ],
)
def test_the_names_on_the_engines_list_are_the_models(listed: Said, *, is_read: bool) -> None:
    with EnginePages("vllm", BATCH, instead={"/v1/models": listed}) as server:
        finding = found(server, model="made/alias", headers={"Authorization": KEY})
        if is_read:
            assert read_once(finding).values["requests_running"] == 3.0
        else:
            assert finding.spec is None
            assert "another model" in finding.why
        assert {headers.get("authorization") for _, _, headers in server.asked} == {KEY}


@pytest.mark.parametrize(
    ("series", "fault"),
    [
        ("vllm:num_requests_running NaN", "requests_running:not_finite"),
        ("vllm:num_requests_running +Inf", "requests_running:not_finite"),
        ("vllm:num_requests_running -1", "requests_running:negative"),
        ("vllm:kv_cache_usage_perc 43.5", "kv_used_share:implausible"),
    ],
)
def test_a_value_that_cannot_be_is_a_fault(series: str, fault: str) -> None:
    account = told("vllm", f"{series}\nvllm:num_requests_waiting 1\n")
    assert account == Account({"requests_waiting": 1.0}, (fault,))


def test_a_share_is_never_above_one() -> None:
    assert told("vllm", "vllm:kv_cache_usage_perc 1.0000001\n").values == {"kv_used_share": 1.0}


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '[{"id": 0}]', '[{"is_processing": 1}]', "[" * 5000, '{"error": "off"}', "null"]
)
def test_what_is_no_list_of_slots(body: str) -> None:
    with pytest.raises(Unanswered, match="not_slots"):
        account_of_slots(body.encode())


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200))
def test_slots_of_any_bytes(body: bytes) -> None:
    try:
        account = account_of_slots(body)
    except Unanswered:
        return
    assert list(account.values) == ["requests_running"]


# -- where it is found -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*PAGES, "embedded"])
def test_the_page_is_found_and_read(kind: str) -> None:
    with EnginePages("llama.cpp" if kind == "embedded" else kind, Batch(running=5)) as server:
        finding = found(server, kind=kind)
        assert finding.spec is not None
        source = open_source(finding.spec)
        begin_ns = time.monotonic_ns()
        reading = source.read(3)
        source.close()
    assert reading.values["requests_running"] == 5.0
    assert (reading.segment, reading.source, reading.scope) == (3, "engine", "engine")
    assert begin_ns <= reading.t_ns - reading.read_ns <= reading.t_ns <= time.monotonic_ns()
    assert not reading.flags
    assert set(source.info.quantities) == set(reading.values)
    assert not {"energy_j", "power_w", "power_average_w"} & set(source.info.quantities)
    assert source.info.read_period_s == 0.5, "it is read in a thread of its own"


@pytest.mark.parametrize("kind", ["ollama", "openai-compatible", "lm-studio", "gateway"])
def test_others_are_not_asked(kind: str) -> None:
    with EnginePages("vllm") as server:
        assert find_engine_gauges(address(server, kind)) is None
        assert not server.asked


def test_the_page_lies_below_the_engines_own_root() -> None:
    with EnginePages("vllm", instead={"/far/metrics": Said(PAGES["vllm"](BATCH))}) as server:
        finding = found(server, root="/far")
        assert {path for path, _, _ in server.asked} == {"/far/metrics"}
    assert finding.spec is not None


def test_a_page_that_is_off_is_named_with_its_switch() -> None:
    with EnginePages("sglang", instead={"/metrics": Said("no", 404)}) as server:
        finding = found(server)
    assert finding.spec is None
    assert "--enable-metrics" in finding.fix


def test_llama_cpp_without_metrics_shows_its_slots() -> None:
    off = Said('{"error": {"code": 501}}', 501)
    batch = Batch(running=3)
    with EnginePages("llama.cpp", instead={"/metrics": off, "/slots": Said(slots_page(batch))}) as server:
        reading = read_once(found(server))
    assert reading.values == {"requests_running": 3.0}
    with EnginePages("llama.cpp", instead={"/metrics": off, "/slots": off}) as server:
        finding = found(server)
    assert finding.spec is None
    assert "--metrics" in finding.fix


def test_a_llama_cpp_of_several_models_is_asked_for_ours() -> None:
    def routed(query: dict[str, list[str]]) -> Said | None:
        return None if query.get("model") == [MODEL] else Said("which model?", 400)

    with EnginePages("llama.cpp", Batch(running=4), instead={"/metrics": routed}) as server:
        assert read_once(found(server)).values["requests_running"] == 4.0


@pytest.mark.parametrize(
    "said",
    [
        Said("<html>hello</html>", content_type="text/html"),
        Said("hello, I am a gateway"),
        Said('{"status": "ok"}', content_type="application/json"),
        Said("up 1\n"),
        Said("", 500),
        Said("", 302),
        Said("vllm:num_requests_running NaN\n"),
        Said("vllm:num_requests_running{ 3\n"),
    ],
)
def test_a_page_that_lies_is_no_source(said: Said) -> None:
    with EnginePages("vllm", instead={"/metrics": said}) as server:
        finding = found(server)
    assert finding.spec is None
    assert finding.why


def test_a_page_that_hangs_is_given_up_after_one_try() -> None:
    begin_s = time.monotonic()
    with EnginePages("llama.cpp", instead={"/metrics": Said("", hangs_s=3.5)}) as server:
        finding = found(server)
        assert time.monotonic() - begin_s < 8
        assert len(server.asked) == 1
    assert finding.spec is None
    assert "in time" in finding.why


def test_the_key_goes_with_each_request_and_into_no_words() -> None:
    with EnginePages("vllm", instead={}) as server:
        finding = found(server, headers={"Authorization": KEY})
        read_once(finding)
        sent = {headers.get("authorization") for _, _, headers in server.asked}
    assert sent == {KEY}
    assert KEY not in repr(finding.info)
    assert KEY not in repr(address(server, headers={"Authorization": KEY}))
    with EnginePages("vllm", instead={"/metrics": Said("", 401)}) as server:
        refused = found(server, headers={"Authorization": KEY})
    assert "key" in refused.why
    assert KEY not in repr(refused)


def test_the_library_of_vllm_and_sglang_writes_only_what_is_wanted() -> None:
    """By a real server of that library: the page that is read is a small part of the whole one."""
    client = pytest.importorskip("prometheus_client")
    registry = client.CollectorRegistry()
    gauge = client.Gauge("vllm:num_requests_running", "x", ["engine", "model_name"], registry=registry)
    gauge.labels("0", MODEL).set(6)
    tokens = client.Counter("vllm:generation_tokens", "x", ["engine", "model_name"], registry=registry)
    tokens.labels("0", MODEL).inc(50)
    for number in range(40):
        client.Histogram(f"vllm:other_{number}_seconds", "x", registry=registry)
    server, thread = client.start_http_server(0, addr="127.0.0.1", registry=registry)
    try:
        place = EngineAddress("vllm", MODEL, "http", "127.0.0.1", server.server_port)
        finding = find_engine_gauges(place)
        assert finding is not None
        assert finding.spec is not None
        assert "name%5B%5D=vllm%3Anum_requests_running" in str(finding.spec.args["target"])
        assert read_once(finding).values == {"requests_running": 6.0, "generation_tokens": 50.0}
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_page_that_takes_no_names_is_read_whole() -> None:
    """Where several processes write the page together, the library finds no name and shows nothing."""

    def nameless(query: dict[str, list[str]]) -> Said | None:
        return Said("") if query else None

    with EnginePages("sglang", Batch(running=2), instead={"/metrics": nameless}) as server:
        finding = found(server)
        assert finding.spec is not None
        assert finding.spec.args["target"] == "/metrics"
        assert read_once(finding).values["requests_running"] == 2.0


# -- read again and again ----------------------------------------------------------------------------------


def test_one_connection_serves_many_readings_and_a_restarted_engine_is_found_again() -> None:
    with EnginePages("vllm", Batch(running=1)) as server:
        finding = found(server)
        assert finding.spec is not None
        source = open_source(finding.spec)
        server.connections.clear()
        for n in range(20):
            server.batch.running = n
            assert source.read(0).values["requests_running"] == n
        assert len(server.connections) == 1
        server.close()
        with pytest.raises(SourceLost, match="connection_refused"):
            source.read(0)
        server.open_again()
        assert source.read(0).values["requests_running"] == 19.0
        source.close()


def test_a_quantity_that_is_shown_no_more_is_flagged_and_no_zero() -> None:
    with EnginePages("llama.cpp", Batch(running=1)) as server:
        finding = found(server)
        assert finding.spec is not None
        source = open_source(finding.spec)
        server.instead["/metrics"] = Said("llamacpp:requests_processing 1\n")
        reading = source.read(0)
        source.close()
    assert reading.values == {"requests_running": 1.0}
    assert set(reading.flags) == {
        "requests_waiting:unavailable",
        "prompt_tokens:unavailable",
        "generation_tokens:unavailable",
    }


def test_the_specification_is_plain_json() -> None:
    with EnginePages("vllm") as server:
        finding = found(server)
    assert finding.spec is not None
    assert json.loads(json.dumps(finding.spec.args)) == finding.spec.args
