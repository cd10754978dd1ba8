"""A page has one name, however its address is spelled."""

from __future__ import annotations

import pytest

from joulemark.meters.http.page_name import page_name, resolved_name

PAGE = "http://127.0.0.1:9100/metrics"


@pytest.mark.parametrize(
    "spelling",
    [
        PAGE,
        "http://localhost:9100/metrics",
        "http://LOCALHOST:9100/metrics",
        "http://127.0.0.2:9100//metrics/",
        "http://[::1]:9100/metrics?",
        "http://[::ffff:127.0.0.1]:9100/metrics",
        "http://0.0.0.0:9100/metrics",
        "https://localhost.:9100/metrics",
    ],
)
def test_the_names_of_this_machine_are_one(spelling: str) -> None:
    assert page_name(spelling) == page_name(PAGE)
    assert resolved_name(spelling) == resolved_name(PAGE)


@pytest.mark.parametrize(
    "other",
    [
        "http://192.0.2.7:9100/metrics",
        "http://127.0.0.1:9101/metrics",
        "http://127.0.0.1:9100/probe",
        "http://127.0.0.1:9100/metrics?target=b",
        "http://127.0.0.1.example:9100/metrics",
    ],
)
def test_other_pages_have_other_names(other: str) -> None:
    assert page_name(other) != page_name(PAGE)


def test_the_usual_port_may_be_left_out() -> None:
    assert page_name("http://192.0.2.7/") == page_name("http://192.0.2.7:80")
    assert resolved_name("http://192.0.2.7/") == "192.0.2.7:80/"


def test_a_name_that_nobody_knows_stays_itself() -> None:
    assert resolved_name("http://meter.invalid:9100/m") == "meter.invalid:9100/m"
