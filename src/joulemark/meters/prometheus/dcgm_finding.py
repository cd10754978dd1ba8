"""What discovery says of the boards of a DCGM exporter."""

from __future__ import annotations

import math
from urllib.parse import urlsplit

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.dcgm import DEFAULT_INTERVAL_S, KIND, dcgm_spec, describe
from joulemark.meters.prometheus.dcgm_board import DcgmBoard
from joulemark.meters.prometheus.failure import missing
from joulemark.meters.prometheus.scrape import checked_url
from joulemark.meters.prometheus.shared import boards_at
from joulemark.meters.source import Finding
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

_OPTIONS = frozenset({"gpu", "interval_s", "scope"})
_MEASURES = "NVIDIA boards through DCGM's exporter: energy, power, temperature, clocks"
_SLOWEST_S = 3600.0
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
    wanted = address.options.get("gpu")
    if wanted is not None:
        boards = {uuid: board for uuid, board in boards.items() if wanted in (uuid, board.index)}
    if not boards:
        why = f"the exporter shows no board {wanted}"
        return [Finding(KIND, KIND, _MEASURES, why=why, fix="leave ?gpu= out to see which there are")]
    if len(boards) > 1 and "scope" in address.options:
        raise InputError("several boards cannot have one scope", fix="name one of them: &gpu=0")
    return [_find_board(address, url, board, interval_s) for board in boards.values()]


def _find_board(address: MeterAddress, url: str, board: DcgmBoard, interval_s: float) -> Finding:
    name = f"dcgm:{board.index}"
    if not _METERED & board.values.keys():
        why = f"{board.model or 'the board'} shows neither energy nor power"
        fields = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION and DCGM_FI_DEV_POWER_USAGE"
        return Finding(KIND, name, _MEASURES, why=why, fix=f"add {fields} to the exporter's collectors file")
    index = int(board.index) if board.index.isascii() and board.index.isdigit() else 0
    spec = dcgm_spec(url, board, address.scope(Scope.gpu(index)), interval_s)
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
        interval_s = float(text)
    except ValueError:
        interval_s = math.nan
    if not 0 < interval_s <= _SLOWEST_S:
        raise InputError(
            f"interval_s={text} is no length of time",
            why="it is how often the exporter renews its values, in seconds",
            fix="interval_s=30, or what --collect-interval says, over 1000",
        )
    return interval_s
