"""The pages in a real browser: without scripts, with them, light and dark, on a phone."""

from __future__ import annotations

import io
import re
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sqlalchemy import update

from doubles import chromium
from doubles.boards import MODERATOR_KEY, BoardDouble
from joulemark.board.code_service.evaluated import PAGE, SUMMARY
from joulemark.board.code_service.job_queue import claim, fail
from joulemark.board.code_service.secret import Identity
from joulemark.board.database.tables import code_results
from joulemark.record.code_run import Purpose

HOSTILE = "<script>alert(1)</script>"


def test_the_form_leads_to_the_page_of_the_job(service: BoardDouble, programs: bytes) -> None:
    sent = service.client.post(
        "/code",
        data={"model": "acme/one-7b", "n_tests": "5"},
        files={"file": ("x.jsonl", programs)},
        follow_redirects=False,
    )
    assert sent.status_code == 303
    mine = sent.headers["location"]
    page = service.client.get(mine)
    assert "number 1 in the queue" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert "Yours alone" in page.text
    public = service.client.get(mine.partition("?")[0]).text
    assert "Yours alone" not in public
    assert '<noscript><meta http-equiv="refresh"' in public
    assert service.client.get(mine + "x").status_code == 403
    place = mine.partition("?")[0]
    key = mine.rpartition("=")[2]
    assert service.client.post(f"{place}/cancel", data={"key": "another"}).status_code == 403
    gone = service.client.post(f"{place}/cancel", data={"key": key})
    assert "cancelled it" in gone.text


@pytest.mark.parametrize("n_bytes", [33 << 20, None])
def test_a_report_that_unpacks_to_much_is_not_unpacked(
    service: BoardDouble, finish_one: Callable[..., Identity], n_bytes: int | None
) -> None:
    """Programs pack well: a small zip must not fill a board's memory each time that it is looked at."""
    job, files = finish_one("acme-large", [1.0]), None
    if n_bytes is not None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in (PAGE, SUMMARY):
                archive.writestr(name, b" " * n_bytes)
        files = packed.getvalue()
    with service.engine.begin() as connection:
        connection.execute(update(code_results).values(files=files))
    place, key = f"/code/jobs/{job.job_id}", f"?key={job.secret}"
    assert service.client.get(f"{place}/report{key}").status_code == 404
    page = service.client.get(place + key)
    assert page.status_code == 200, "the uploader sees what everyone sees"
    assert "Yours alone" in page.text


def test_a_refused_form_is_a_page_that_says_why(service: BoardDouble) -> None:
    answer = service.client.post("/code", data={"model": HOSTILE}, files={"file": ("x", b"<html>")})
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert HOSTILE not in answer.text
    assert service.client.post("/code/requests", data={"model": HOSTILE}).status_code == 422
    asked = service.client.post("/code/requests", data={"model": "acme/two", "words": HOSTILE})
    assert "Thank you" in asked.text
    assert HOSTILE not in asked.text


def test_a_moderator_sees_what_is_asked_for(service: BoardDouble) -> None:
    client = service.client
    client.post("/code/requests", data={"model": "acme/two", "words": HOSTILE, "contact": "me@example.org"})
    assert client.get("/moderation/models").status_code == 401
    client.post("/moderation/login", data={"key": MODERATOR_KEY})
    page = client.get("/moderation/models").text
    assert "acme/two" in page
    assert "&lt;script&gt;" in page
    assert HOSTILE not in page
    place = re.search(r'action="(/moderation/models/\w+/decisions)"', page)[1]  # type: ignore[index]
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)[1]  # type: ignore[index]
    assert client.post(place, data={"csrf": "x", "state": "taken"}).status_code == 403
    assert "None wait" in client.post(place, data={"csrf": csrf, "state": "taken"}).text


def test_a_failed_job_says_why_and_escapes_it(service: BoardDouble, programs: bytes) -> None:
    made = service.client.post(
        "/api/v1/code/jobs", data={"model": "m"}, files={"file": ("x", programs)}
    ).json()
    held = claim(service.engine, "w", {"built_in"})
    assert held is not None
    fail(service.engine, held, HOSTILE)
    page = service.client.get(f"/code/jobs/{made['id']}").text
    assert "&lt;script&gt;" in page
    assert HOSTILE not in page


def test_every_dash_has_its_reason(service: BoardDouble, finish_one: Callable[..., Identity]) -> None:
    finish_one("acme/fast", [1.0] * 3, measure=False, keep=lambda run: run.purpose is Purpose.TEST)
    for figures in ("paper", "corrected"):
        page = service.client.get("/code", params={"figures": figures}).text
        assert page.count(">—<") == page.count('<span class="none" title="') > 5
        assert 'title=""' not in page


@pytest.fixture
def address(service: BoardDouble) -> Iterator[str]:
    """The board on a port, for a browser."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(service.app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listening.close()


@pytest.fixture
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    program = chromium.find()
    if program is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=arguments)
        yield opened
        opened.close()


@pytest.mark.slow
def test_in_a_browser(
    service: BoardDouble,
    finish_one: Callable[..., Identity],
    programs: bytes,
    tmp_path: Path,
    address: str,
    browser: Any,
) -> None:
    finish_one("acme/fast", [1.0] * 8)
    job = finish_one("acme/slow", [3.0] * 8)
    (tmp_path / "mine.jsonl").write_bytes(programs)
    said: list[str] = []
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        tab = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        tab.on("console", lambda one: said.append(one.text))
        tab.on("pageerror", lambda one: said.append(str(one)))
        for path in ("/code", f"/code/jobs/{job.job_id}", f"/code/jobs/{job.job_id}?key={job.secret}"):
            tab.goto(address + path)
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
        tab.close()
    quiet = browser.new_context(java_script_enabled=False).new_page()
    quiet.goto(f"{address}/code")
    quiet.get_by_label("Figures").select_option("corrected")
    quiet.get_by_label("Sorted by").select_option("net_corrected")
    quiet.get_by_role("button", name="Show").click()
    assert quiet.locator("table.code tbody th").all_inner_texts()[0].startswith("acme/fast")
    assert quiet.locator("th[aria-sort=ascending]").inner_text().startswith("NET corrected")
    quiet.locator("th[aria-sort=ascending] a").click()
    assert quiet.locator("table.code tbody th").all_inner_texts()[0].startswith("acme/slow")
    quiet.get_by_label("Model contains").fill("fast")
    quiet.get_by_role("button", name="Show").click()
    assert quiet.locator("table.code tbody tr").count() == 1
    tab = browser.new_page()
    tab.on("pageerror", lambda one: said.append(str(one)))
    tab.goto(f"{address}/code")
    tab.get_by_label("File of the programs").set_input_files(tmp_path / "mine.jsonl")
    tab.get_by_label("Model that wrote them").fill("acme/mine")
    tab.get_by_role("button", name="Upload").click()
    assert "number 1 in the queue" in tab.locator("#job").inner_text()
    held = claim(service.engine, "w", {"built_in"})
    assert held is not None
    tab.locator("[data-of=state]", has_text="running").wait_for()
    fail(service.engine, held, "the worker says so")
    tab.get_by_text("It failed: the worker says so").wait_for()
    assert said == []
