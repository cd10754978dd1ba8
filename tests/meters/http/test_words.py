"""Every reason of the network is said once, with something to do about it."""

from __future__ import annotations

import re

import pytest

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.http.words import network_words
from joulemark.meters.plugs import finding as plug_finding
from joulemark.meters.plugs.finding import find_device
from joulemark.meters.prometheus import scrape
from joulemark.meters.prometheus.finding import find_prometheus

REASONS = re.findall(r"``([a-z_]+)``", (Unanswered.__doc__ or "").split("Reasons of")[1])
KIND = plug_finding.Kind("shelly", "Shelly", "a plug", "/shelly", "SECRET", "password_file")


def test_every_reason_has_words() -> None:
    assert len(REASONS) == 12
    for reason in REASONS:
        why, fix = network_words(Unanswered(reason), "plug.lan", "curl there")
        assert reason not in why
        assert fix


@pytest.mark.parametrize(
    "reason",
    ["name_unknown", "connection_refused", "unreachable", "timeout", "closed", "cut_off", "tls_failed"],
)
def test_what_the_network_did_is_said_alike_of_every_kind(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise Unanswered(reason, "as it was told")

    monkeypatch.setattr(scrape.Connection, "get", fail)
    (page,) = find_prometheus(MeterAddress.parse("prometheus:http://plug.lan/metrics#a_watts"))
    (plug,) = find_device(KIND, Endpoint("http", "plug.lan", 80), {}, fail)  # type: ignore[arg-type]
    assert page.why == plug.why
    assert page.why.count("as it was told") == (
        reason in ("name_unknown", "unreachable", "timeout", "tls_failed")
    )
