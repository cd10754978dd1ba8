"""Looking for engines that run: real sockets of engines, of other servers and of hostile ones."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from doubles.engine_server import EngineServer
from doubles.listeners import Behaviour, Listener, endless, garbage, hasty, silent, trickling
from doubles.ollama_server import MODEL, ollama_routes
from joulemark.engines.autodetect import find_engine, look_around
from joulemark.engines.found_engine import Search
from joulemark.engines.usual_addresses import USUAL_PORTS, Address, usual_addresses
from joulemark.record.errors import InputError

VLLM = {
    "GET /v1/models": {"data": [{"id": "org/m", "owned_by": "vllm", "max_model_len": 8192}]},
    "GET /version": {"version": "0.11.0"},
}
PLAIN = {"GET /v1/models": {"data": [{"id": "a"}, {"id": "b c"}]}}


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def serve(stack: ExitStack, routes: dict[str, Any]) -> EngineServer:
    return stack.enter_context(EngineServer(routes))


def closed_url() -> str:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


def look(*urls: str) -> Search:
    return asyncio.run(look_around([Address(url) for url in urls]))


def test_engines_are_found_with_kind_models_process_and_command(servers: ExitStack) -> None:
    ollama, vllm, plain = (serve(servers, routes) for routes in (ollama_routes(), VLLM, PLAIN))
    search = look(ollama.url, closed_url(), vllm.url, plain.url)
    assert [(found.kind, found.version) for found in search.found] == [
        ("ollama", "0.33.3"),
        ("vllm", "0.11.0"),
        ("openai-compatible", None),
    ]
    assert [found.models for found in search.found] == [(MODEL,), ("org/m",), ("a", "b c")]
    assert {found.pid for found in search.found} == {os.getpid()}
    assert all(found.process for found in search.found)
    assert search.found[0].command == f"joulemark bench quick --engine {ollama.url}"
    assert search.found[2].command == f"joulemark bench quick --engine {plain.url} --model a"
    assert search.passed_over == ()
    assert len(search.tried) == 4


def test_nothing_is_generated_and_nothing_changed(servers: ExitStack) -> None:
    server = serve(servers, ollama_routes())
    look(server.url)
    asked = {route for route, _, _ in server.seen}
    assert {route for route in asked if route.startswith("POST")} <= {"POST /api/show"}


def test_a_server_that_is_no_engine_is_passed_over(servers: ExitStack) -> None:
    page = serve(servers, {"GET /": "<html>hello</html>", "GET /v1/models": "<html>404</html>"})
    search = look(page.url)
    assert search.found == ()
    assert [(passed.url, passed.why) for passed in search.passed_over] == [
        (page.url, "something else answers there: it lists no models")
    ]


def test_an_engine_without_models_is_told(servers: ExitStack) -> None:
    server = serve(servers, {**ollama_routes(), "GET /v1/models": {"data": None}})
    assert "ollama" in look(server.url).passed_over[0].why


def test_an_engine_that_wants_a_key_is_told_how(servers: ExitStack) -> None:
    server = serve(servers, {"GET /v1/models": (401, {"error": "Unauthorized"})})
    assert "--api-key-env" in look(server.url).passed_over[0].why


@pytest.mark.parametrize("behaviour", [silent, garbage, endless, trickling, hasty])
def test_no_listener_can_hold_the_look_up(behaviour: Behaviour, servers: ExitStack) -> None:
    hostile = [servers.enter_context(Listener(behaviour)) for _ in range(3)]
    engine = serve(servers, ollama_routes())
    began = time.monotonic()
    search = look(*(listener.url for listener in hostile), engine.url)
    assert time.monotonic() - began < 3
    assert [found.url for found in search.found] == [engine.url]
    assert [passed.url for passed in search.passed_over] == [listener.url for listener in hostile]
    assert all(passed.why for passed in search.passed_over)


def test_an_engine_that_hesitates_on_its_other_pages_is_found_without_its_kind(servers: ExitStack) -> None:
    def hesitate(_body: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(1.5)
        return 200, {}

    pages = {f"GET {page}": hesitate for page in ("/props", "/.well-known/serviceinfo", "/api/version")}
    began = time.monotonic()
    (found,) = look(serve(servers, {**PLAIN, **pages}).url).found
    assert time.monotonic() - began < 3
    assert (found.kind, found.models) == ("openai-compatible", ("a", "b c"))


def test_names_without_end_and_lists_without_end_are_cut(servers: ExitStack) -> None:
    entries = [{"id": "x" * 5000}, *({"id": f"m{n}"} for n in range(2000)), {"id": ""}, {"id": 7}, "m"]
    (found,) = look(serve(servers, {"GET /v1/models": {"data": entries}}).url).found
    assert len(found.models) == 500
    assert found.models[0] == "m0"


def test_one_engine_on_two_addresses_is_one(servers: ExitStack) -> None:
    server = serve(servers, PLAIN)
    search = look(f"http://localhost:{server.port}/v1", server.url)
    assert [found.url for found in search.found] == [f"http://localhost:{server.port}/v1"]
    assert len(search.tried) == 2


def test_ipv6_is_looked_at() -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        listener = Listener(garbage, "::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with listener:
        assert look(listener.url).passed_over[0].url == listener.url


def test_a_name_that_does_not_exist_is_told_when_the_environment_names_it() -> None:
    search = asyncio.run(look_around([Address("http://no-such-host.invalid:1", "OLLAMA_HOST")]))
    assert "no-such-host.invalid" in search.passed_over[0].why


def test_no_address_at_all_finds_nothing() -> None:
    assert look() == Search((), (), ())


# -- auto ----------------------------------------------------------------------------------------------------


def test_the_only_engine_is_taken(servers: ExitStack) -> None:
    server = serve(servers, VLLM)
    assert find_engine([Address(closed_url()), Address(server.url)]).url == server.url


def test_several_engines_want_a_choice(servers: ExitStack) -> None:
    one, other = serve(servers, VLLM), serve(servers, ollama_routes())
    with pytest.raises(InputError, match="2 engines") as caught:
        find_engine([Address(one.url), Address(other.url)])
    assert one.url in caught.value.why
    assert MODEL in caught.value.why
    assert caught.value.fix == f"name one, for instance --engine {one.url}"


def test_no_engine_says_what_to_start(servers: ExitStack) -> None:
    quiet = servers.enter_context(Listener(silent))
    with pytest.raises(InputError, match="No engine runs") as caught:
        find_engine([Address(closed_url()), Address(quiet.url)])
    assert "ollama serve" in caught.value.fix
    assert "2 usual addresses" in caught.value.why
    assert quiet.url in caught.value.why


# -- the addresses -------------------------------------------------------------------------------------------


def test_the_usual_ports_are_asked_on_both_loopbacks() -> None:
    urls = [address.url for address in usual_addresses(environment={})]
    assert len(urls) == 2 * len(USUAL_PORTS) == len(set(urls))
    assert {"http://127.0.0.1:11434", "http://[::1]:11434", "http://127.0.0.1:80"} <= set(urls)
    assert {11434, 1234, 8080, 8000, 30000, 3000, 80, 1337, 5001, 5000, 4891} == set(USUAL_PORTS)


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8888", "http://127.0.0.1:8888"),
        (":8888", "http://127.0.0.1:8888"),
        ("[::]:8888", "http://127.0.0.1:8888"),
        ("[::1]", "http://[::1]:11434"),
        ("box:8888", "http://box:8888"),
        ("http://box", "http://box:80"),
        ("https://box/", "https://box:443"),
        ("https://box:8888", "https://box:8888"),
        ("", None),
        ("ftp://box", None),
        ("box:99999", None),
        ("box:8888/path", None),
        ("me@box", None),
        ("a b", None),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(value: str, url: str | None) -> None:
    found = usual_addresses({}, {"OLLAMA_HOST": value})
    assert [address.url for address in found] == ([] if url is None else [url])
    assert all(address.named_by == "OLLAMA_HOST" for address in found)


def test_the_base_url_of_openai_is_looked_at_first_and_once() -> None:
    environment = {"OPENAI_BASE_URL": "http://localhost:1234/v1/", "OLLAMA_HOST": "127.0.0.1"}
    found = usual_addresses({11434: "Ollama"}, environment)
    assert [address.url for address in found] == [
        "http://127.0.0.1:11434",
        "http://localhost:1234/v1",
        "http://[::1]:11434",
    ]


def test_a_password_in_a_variable_is_not_carried_along() -> None:
    assert usual_addresses({}, {"OPENAI_BASE_URL": "https://me:secret@box/v1"}) == ()
