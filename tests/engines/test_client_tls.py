"""TLS with a certificate of our own making."""

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from doubles.measuring_loop import run
from doubles.replay_server import ReplayServer, Reply, sse_event
from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Endpoint, Exchange


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the openssl command, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    make = (
        f"{openssl} req -x509 -nodes -days 2 -subj /CN=localhost -newkey ec -pkeyopt ec_paramgen_curve:P-256"
    )
    names = "-addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    command = [*make.split(), *names.split(), "-keyout", key, "-out", cert]
    subprocess.run(command, check=True, capture_output=True)
    return key, cert


@pytest.fixture
def server_tls(certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[1], certificate[0])
    return context


def exchanges(endpoint: Endpoint, n: int = 1, **options) -> list[Exchange]:
    async def main() -> list[Exchange]:
        async with StreamClient(endpoint, **options) as client:
            return [await client.exchange(b"{}") for _ in range(n)]

    return run(main())


def test_a_stream_over_tls_and_its_connection_again(certificate, server_tls):
    trust = ssl.create_default_context(cafile=certificate[1])
    with ReplayServer(Reply.sse(["a", "b"], gap_s=0.02), tls=server_tls) as server:
        got = exchanges(Endpoint("https", "localhost", server.port), 3, tls=trust)
        assert [(e.error, e.body) for e in got] == [(None, got[0].body)] * 3
        assert got[0].body.startswith(sse_event("a") + sse_event("b"))
        assert len(server.requests) == 3


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_kept_connection_over_tls_that_was_closing_is_replaced(certificate, server_tls, end):
    async def main(endpoint: Endpoint) -> list[Exchange]:
        async with StreamClient(endpoint, tls=trust) as client:
            first = await client.exchange(b"1")
            await asyncio.sleep(0.1)
            return [first, await client.exchange(b"2")]

    trust = ssl.create_default_context(cafile=certificate[1])
    with ReplayServer(Reply.sse(["a"]), Reply.raw(end=end), Reply.sse(["b"]), tls=server_tls) as server:
        got = run(main(Endpoint("https", "localhost", server.port)))
        assert [e.error for e in got] == [None, None]
        assert [request.body for request in server.requests] == [b"1", b"2", b"2"]


def test_the_default_context_trusts_what_the_machine_trusts(certificate, server_tls, monkeypatch):
    with ReplayServer(tls=server_tls) as server:
        endpoint = Endpoint("https", "127.0.0.1", server.port)
        assert exchanges(endpoint)[0].error == "tls", "nobody has signed it"
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
        assert exchanges(endpoint)[0].error is None


def test_a_wrong_name_is_refused(certificate, server_tls):
    trust = ssl.create_default_context(cafile=certificate[1])
    trust.check_hostname = True
    with ReplayServer(tls=server_tls) as server:
        got = exchanges(Endpoint("https", "127.0.0.2", server.port), tls=trust, connect_timeout_s=2)[0]
    assert got.error in ("tls", "refused")


def test_a_cut_over_tls_keeps_what_came(certificate, server_tls):
    trust = ssl.create_default_context(cafile=certificate[1])
    with ReplayServer(Reply(((0, sse_event("a")),), end="cut"), tls=server_tls) as server:
        got = exchanges(Endpoint("https", "localhost", server.port), tls=trust)[0]
    assert (got.error, got.body) == ("cut", sse_event("a"))


def test_https_to_a_plain_server_is_a_tls_error():
    with ReplayServer() as server:
        got = exchanges(Endpoint("https", "127.0.0.1", server.port), connect_timeout_s=2)[0]
    assert got.error in ("tls", "timeout")  # the plain server waits for the end of what it takes for a head


def test_http_to_a_tls_server_is_no_exception(server_tls):
    with ReplayServer(tls=server_tls) as server:
        got = exchanges(Endpoint("http", "127.0.0.1", server.port), stall_timeout_s=2)[0]
    assert got.error in ("bad_http", "cut", "reset")
