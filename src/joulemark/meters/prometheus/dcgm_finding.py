"""What discovery says of the boards of a DCGM exporter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import quote_plus, urlsplit

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.dcgm import DEFAULT_INTERVAL_S, KIND, board_name, dcgm_spec, describe
from joulemark.meters.prometheus.dcgm_board import DcgmBoard
from joulemark.meters.prometheus.exposition import number
from joulemark.meters.prometheus.failure import missing
from joulemark.meters.prometheus.scrape import checked_url
from joulemark.meters.prometheus.shared import boards_at
from joulemark.meters.source import Finding
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

_OPTIONS = frozenset({"gpu", "hostname", "interval_s", "scope"})
_MEASURES = "NVIDIA boards through DCGM's exporter: energy, power, temperature, clocks"
_SLOWEST_S = 3600.0
_SHOWN = 4
_METERED = frozenset({Quantity.ENERGY_J, Quantity.POWER_W, Quantity.POWER_AVERAGE_W})


def find_dcgm(address: MeterAddress) -> list[Finding]:
    """Return one finding a board that the exporter shows; raises `InputError` for what is malformed."""
    address.require_options(_OPTIONS)
    url = checked_url(address.address)
    if urlsplit(url).path in ("", "/"):
        url = f"{url.rstrip('/')}/metrics"
    interval_s = _interval_s(address)
    try:
        boards = boards_at(url)
    except Unanswered as error:
        if error.reason == "no_boards":
            look = f"curl -sS '{url}' | grep DCGM_FI_DEV"
            return [Finding(KIND, KIND, _MEASURES, why=error.detail, fix=f"start dcgm-exporter; {look}")]
        return [missing(KIND, KIND, _MEASURES, url, error)]
    wanted, host = address.options.get("gpu"), address.options.get("hostname")
    chosen = [
        board
        for board in boards.values()
        if wanted in (None, board.uuid, str(board.index)) and host in (None, board.host)
    ]
    if not chosen:
        which = " ".join(filter(None, ["no board", wanted, f"of {host}" if host is not None else ""]))
        fix = "leave ?gpu= and ?hostname= out to see which there are"
        return [Finding(KIND, KIND, _MEASURES, why=f"the exporter shows {which}", fix=fix)]
    if (several := _several(chosen)) is not None:
        why, fix = several
        return [Finding(KIND, KIND, _MEASURES, why=why, fix=fix)]
    if len(chosen) > 1 and "scope" in address.options:
        raise InputError("several boards cannot have one scope", fix="name one of them: &gpu=0")
    return [_find_board(address, url, board, interval_s) for board in chosen]


def _several(boards: Sequence[DcgmBoard]) -> tuple[str, str] | None:
    """Return why and fix where the boards cannot be those of one machine; null where they can."""
    hosts = list(dict.fromkeys(board.host for board in boards))
    if len(hosts) > 1:
        named = " or ".join(f"&hostname={quote_plus(host)}" for host in hosts[:_SHOWN])
        more = ", …" if len(hosts) > _SHOWN else ""
        why = f"the page shows the boards of {len(hosts)} machines, whose energies do not add up to one's"
        return why, f"choose one: {named}{more}; or one board by its UUID: &gpu=UUID"
    numbers = [board.index for board in boards if board.index is not None]
    if len(set(numbers)) < len(numbers):
        uuids = " or ".join(f"&gpu={quote_plus(board.uuid)}" for board in boards[:_SHOWN])
        return "the page shows several boards with one number", f"choose one by its UUID: {uuids}"
    return None


def _find_board(address: MeterAddress, url: str, board: DcgmBoard, interval_s: float) -> Finding:
    name = board_name(board.index)
    if board.index is None and "scope" not in address.options:
        why = (
            f"the page does not number {board.model or 'the board'}, so its place in the machine is not known"
        )
        fix = f"name it: &gpu={quote_plus(board.uuid)}&scope=wall/psu/gpu:0"
        return Finding(KIND, name, _MEASURES, why=why, fix=fix)
    if not _METERED & board.values.keys():
        why = f"{board.model or 'the board'} shows neither energy nor power"
        fields = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION and DCGM_FI_DEV_POWER_USAGE"
        return Finding(KIND, name, _MEASURES, why=why, fix=f"add {fields} to the exporter's collectors file")
    spec = dcgm_spec(url, board, address.scope(Scope.gpu(board.index or 0)), interval_s)
    info = describe(spec)
    counts = (
        "the energy counter" if Quantity.ENERGY_J in info.quantities else "power only (no energy counter)"
    )
    renewed = f"renewed every {interval_s:g} s unless the exporter was told otherwise"
    return Finding(
        KIND,
        name,
        f"{board.model or 'a board'}: {counts} of the whole board, {renewed}",
        spec=spec,
        info=info,
    )


def _interval_s(address: MeterAddress) -> float:
    text = address.options.get("interval_s")
    if text is None:
        return DEFAULT_INTERVAL_S
    try:
        interval_s = number(text)
    except ValueError:
        interval_s = math.nan
    if not 0 < interval_s <= _SLOWEST_S:
        raise InputError(
            f"interval_s={text} is no length of time",
            why="it is how often the exporter renews its values, in seconds",
            fix="interval_s=30, or what --collect-interval says, over 1000",
        )
    return interval_s
