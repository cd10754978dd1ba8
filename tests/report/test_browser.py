"""The page in a real browser, where one is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles import chromium, run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.report.html import write_report

WIDTHS_PX = (1200, 390)
PROGRAM = chromium.find()
VIEWS = {
    "failures": lambda: run_views.with_counter(with_failures=True),
    "wall meter": varied_runs.with_wall_meter,
    "priced": varied_runs.priced,
    "scores": varied_runs.real_valued,
    "all failed": varied_runs.all_failed,
}
# What reaches beyond the window, and is not inside something that scrolls by itself
_BEYOND = """[...document.querySelectorAll('body *')].filter(e => !e.ownerSVGElement
  && e.getClientRects().length && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
  && !e.closest('.scroll, details')).map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
# words of a drawing that its own edge cuts off
_CUT = """[...document.querySelectorAll('svg')].filter(s => s.getClientRects().length).flatMap(s => {
  const edge = s.getBoundingClientRect();
  return [...s.querySelectorAll('text')].filter(t => {
    const box = t.getBoundingClientRect();
    return box.width && (box.left < edge.left - 1 || box.right > edge.right + 1
      || box.top < edge.top - 1 || box.bottom > edge.bottom + 1);
  }).map(t => t.textContent)})"""


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


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_pages_of_every_kind_fit_wide_and_narrow_in_light_and_dark(tmp_path: Path) -> None:
    assert PROGRAM is not None
    with chromium.browser(PROGRAM, tmp_path) as tab:
        for name, make in VIEWS.items():
            view = make()
            page = tmp_path / f"{name}.html"
            write_report(summarize(view), view, page)
            paper = {}
            for scheme in ("light", "dark"):
                features = [{"name": "prefers-color-scheme", "value": scheme}]
                tab.ask("Emulation.setEmulatedMedia", features=features)
                for width in WIDTHS_PX:
                    tab.width(width)
                    tab.open(page)
                    assert tab.value("document.documentElement.scrollWidth") <= width, (name, width)
                    assert tab.value(_BEYOND) == [], (name, width)
                    assert tab.value(_CUT) == [], (name, width)
                paper[scheme] = tab.value("getComputedStyle(document.body).backgroundColor")
            assert paper["light"] != paper["dark"]


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_what_is_cut_off_or_too_wide_would_be_caught(tmp_path: Path) -> None:
    """The test above must be able to fail."""
    assert PROGRAM is not None
    page = tmp_path / "wide.html"
    page.write_text(
        '<!doctype html><body><div style="width:3000px">wide</div>'
        '<svg width="50" height="20"><text x="30" y="15">beyond the edge</text></svg></body>'
    )
    with chromium.browser(PROGRAM, tmp_path) as tab:
        tab.width(390)
        tab.open(page)
        assert tab.value(_BEYOND)
        assert tab.value(_CUT) == ["beyond the edge"]


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_on_paper_the_page_is_light_and_its_details_are_open(tmp_path: Path) -> None:
    assert PROGRAM is not None
    page = tmp_path / "report.html"
    view = run_views.with_counter(20)
    write_report(summarize(view), view, page)
    shown = "document.querySelector('details table').checkVisibility({contentVisibilityAuto: true})"
    with chromium.browser(PROGRAM, tmp_path) as tab:
        tab.width(700)
        tab.ask("Emulation.setEmulatedMedia", media="print")
        tab.open(page)
        assert tab.value("document.querySelector('details table').getBoundingClientRect().height") > 100
        assert tab.value(shown)
        wide = "document.querySelector('.wide').getBoundingClientRect().width"
        assert tab.value(wide) > 100
        assert tab.value("document.documentElement.scrollWidth") <= 700


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
