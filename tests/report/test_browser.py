"""The page in a real browser, where one is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles import chromium, run_views
from joulemark.metrics import summarize
from joulemark.report.html import write_report

WIDTHS_PX = (1200, 390)
PROGRAM = chromium.find()


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_the_page_loads_alone_without_complaint_and_fits(tmp_path: Path) -> None:
    assert PROGRAM is not None
    page, blank = tmp_path / "report.html", tmp_path / "blank.html"
    view = run_views.with_counter(with_failures=True)
    write_report(summarize(view), view, page)
    blank.write_text("<!doctype html><html><body style='height:3000px'></body></html>")
    with chromium.browser(PROGRAM, tmp_path) as tab:
        tab.width(max(WIDTHS_PX))
        tab.open(blank)
        nothing = len(tab.screenshot())
        for width in WIDTHS_PX:
            tab.width(width)
            tab.open(page)
            # a page that shows its figures and charts is no flat colour
            assert len(tab.screenshot()) > 5 * nothing
            assert tab.value("document.documentElement.scrollWidth") <= width
            drawn = "[...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width > 100)"
            assert tab.value(f"{drawn}.length") >= 4
        told = [e["method"] for e in tab.events]
        asked = [
            e["params"]["request"]["url"] for e in tab.events if e["method"] == "Network.requestWillBeSent"
        ]
    assert set(asked) == {page.as_uri(), blank.as_uri()}
    assert told.count("Page.loadEventFired") == 1 + len(WIDTHS_PX)
    assert not {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"} & set(told)


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_a_page_that_did_ask_or_complain_would_be_caught(tmp_path: Path) -> None:
    """The test above must be able to fail: a page with a picture from elsewhere is noticed."""
    assert PROGRAM is not None
    page = tmp_path / "asking.html"
    page.write_text('<!doctype html><img src="nowhere.png"><script>throw Error("no")</script>')
    with chromium.browser(PROGRAM, tmp_path) as tab:
        tab.open(page)
        told = [e["method"] for e in tab.events]
    assert told.count("Network.requestWillBeSent") == 2
    assert {"Log.entryAdded", "Runtime.exceptionThrown"} <= set(told)
