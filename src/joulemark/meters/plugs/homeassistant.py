"""A plug that Home Assistant knows: an energy entity, and beside it a power entity where there is one.

``homeassistant:http://HOST:8123#sensor.plug_energy?power=sensor.plug_power``. The server only passes on what
it last heard, so the age of a value is judged by the server's own clock (its ``Date`` field) against its own
stamp of the last report; what is older than ``stale_s`` is absent. In which steps the register counts and how
often the server hears of it is asked once, from its history.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import parse_endpoint
from joulemark.meters.http.page_name import page_name, resolved_name
from joulemark.meters.notes import note
from joulemark.meters.plugs.finding import Args, Kind, find_device, open_device
from joulemark.meters.plugs.ha_client import HomeAssistantClient
from joulemark.meters.plugs.ha_device import SLOTS, HomeAssistantDevice, Slot
from joulemark.meters.plugs.ha_state import ENERGY_UNITS_J, POWER_UNITS_W, History, State, register_step
from joulemark.meters.plugs.password import read_password
from joulemark.meters.plugs.plug import RATED_MAX_W, PlugSource
from joulemark.meters.source import SHOWS, Finding, SourceSpec, digest_of
from joulemark.record.clock import Clock
from joulemark.record.errors import InputError
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import WALL, Scope
from joulemark.record.telemetry import Quantity

TOKEN = "JOULEMARK_HA_TOKEN"
STALE_S = 300
_DEVICE_AGE_S = 2.0  # how old a value is in the plug itself, before the server hears of it
_READ_PERIOD_S = 1.0
_EXAMPLE = "'homeassistant:http://192.168.1.5:8123#sensor.plug_energy?power=sensor.plug_power'"
_ENTITY = re.compile(r"[a-z0-9_]{1,100}\.[a-z0-9_]{1,200}")
_LOOK_UP = "look it up in Home Assistant: Developer tools, States"
_KIND = Kind(
    name="homeassistant",
    product="Home Assistant",
    measures="an energy entity of Home Assistant",
    probe="/api/",
    secret=TOKEN,
    secret_option="token_file",
    words={
        "password_missing": (
            "it wants an access token",
            f"make one in your profile there (Security), then: export {TOKEN}=…   # or token_file=FILE",
        ),
        "password_refused": (
            "it refuses the access token",
            f"make a new one in your profile there (Security), then: export {TOKEN}=…",
        ),
        "energy_missing": ("it has no energy entity of that name", _LOOK_UP),
        "power_missing": ("it has no power entity of that name", _LOOK_UP),
        "energy_unit": (
            f"the unit of the energy entity is none of {', '.join(ENERGY_UNITS_J)}",
            f"name an entity that counts energy, and a power entity as ?power=…; {_LOOK_UP}",
        ),
        "power_unit": (
            f"the unit of the power entity is none of {', '.join(POWER_UNITS_W)}",
            f"name an entity that shows power; {_LOOK_UP}",
        ),
        "not_cumulative": (
            "the energy entity is a measurement, not a count that goes on",
            "name an entity with the state class total_increasing or total",
        ),
        "energy_unavailable": (
            "Home Assistant does not hear from the energy entity",
            "is the plug in its network? its state must be a number",
        ),
        "power_unavailable": (
            "Home Assistant does not hear from the power entity",
            "is the plug in its network? its state must be a number",
        ),
    },
)


def find_homeassistant(address: MeterAddress) -> list[Finding]:
    """Ask the server at ``address`` for its entities; raises `InputError`.

    Options: ``power`` (an entity), ``scope``, ``stale_s`` (seconds) and ``token_file``.
    """
    address.require_options({"power", "scope", "stale_s", "token_file"})
    base, _, energy = address.address.partition("#")
    power = address.options.get("power", "")
    what = "the meter names no entity of Home Assistant"
    if not energy and not power:
        raise InputError(what, why="an entity stands behind a #", fix=f"write it like {_EXAMPLE}")
    for entity in filter(None, (energy, power)):
        if not _ENTITY.fullmatch(entity):
            raise InputError(
                what, why=f"{entity!r} is none: it lacks a domain", fix=f"write it like {_EXAMPLE}"
            )
    has_port = re.search(r":\d+/?$", base) is not None
    endpoint = parse_endpoint(
        base if "://" in base or has_port else f"{base}:8123", _EXAMPLE, with_prefix=True
    )
    args: Args = {
        "address": endpoint.url,
        "energy": energy or None,
        "power": power or None,
        "scope": address.scope(Scope(WALL)).path,
        "stale_s": address.number("stale_s", STALE_S),
        "token_file": address.options.get("token_file"),
    }
    server = resolved_name(endpoint.url)
    args[SHOWS] = " ".join(digest_of(f"{server}#{entity}") for entity in (energy, power) if entity)
    return find_device(_KIND, endpoint, args, _describe)


def open_homeassistant(spec: SourceSpec, clock: Clock | None = None) -> PlugSource:
    """Open the entities that ``spec`` names; raises `SourceLost` where the server does not answer."""
    return open_device(spec, _describe, clock)


def _describe(spec: SourceSpec) -> HomeAssistantDevice:
    args = spec.args
    file = args.get("token_file")
    token = read_password(TOKEN, None if file is None else str(file))
    endpoint = parse_endpoint(str(args["address"]), _EXAMPLE, with_prefix=True)
    client = HomeAssistantClient(endpoint, token)
    try:
        return _device(client, spec)
    except BaseException:
        client.close()
        raise


def _device(client: HomeAssistantClient, spec: SourceSpec) -> HomeAssistantDevice:
    args = spec.args
    entities = {slot.quantity.value: str(args[slot.option]) for slot in SLOTS if args.get(slot.option)}
    deadline, later = Deadline(), Deadline()
    states = {slot: _checked(client, slot, entities, deadline) for slot in SLOTS if slot.quantity in entities}
    histories = {slot.quantity.value: client.history(entities[slot.quantity], later) for slot in states}
    notes = []
    quantum_j = 0.0
    for slot, state in states.items():
        if slot.quantity is Quantity.ENERGY_J and state.value is not None:
            step = register_step(state.value, histories[slot.quantity].values)
            quantum_j = float(step * slot.units[state.unit or ""])
            if state.state_class is None:
                notes.append(
                    note("state_class_unknown", "the entity does not say that it is a running count")
                )
    stale_s = float(args.get("stale_s") or STALE_S)
    interval_s = _interval_s(histories)
    if interval_s is None:
        said = f"too little history: a value may be {stale_s:.0f} s old; the option stale_s narrows it"
        notes.append(note("interval_unknown", said))
    age_s = min(stale_s, stale_s if interval_s is None else interval_s + _DEVICE_AGE_S)
    info = SourceInfo(
        name=spec.name or "homeassistant",
        kind="homeassistant",
        scope=Scope(str(args["scope"])),
        quantities=tuple(entities),
        counter_quantum_j=quantum_j,
        power_window_s=0.0 if Quantity.POWER_W in entities else None,  # a sample, renewed now and then
        power_max_w=RATED_MAX_W,
        is_register=Quantity.ENERGY_J in entities,
        value_age_s=age_s,
        read_period_s=_READ_PERIOD_S,
        device_id=f"homeassistant/{page_name(str(args['address']))}/{'|'.join(entities.values())}",
        device_name="Home Assistant",
        notes=tuple(notes),
    )
    return HomeAssistantDevice(client, entities, info, stale_s)


def _checked(
    client: HomeAssistantClient, slot: Slot, entities: Mapping[str, str], deadline: Deadline
) -> State:
    """Return an entity's state; raises `Unanswered` where it cannot serve as this quantity."""
    try:
        state = client.state(entities[slot.quantity], deadline)
    except Unanswered as error:
        raise Unanswered(f"{slot.option}_missing") if error.reason == "entity_missing" else error from None
    if state.unit not in slot.units:
        raise Unanswered(f"{slot.option}_unit")
    if slot.quantity is Quantity.ENERGY_J and state.state_class == "measurement":
        raise Unanswered("not_cumulative")
    if state.value is None:
        raise Unanswered(f"{slot.option}_unavailable")
    return state


def _interval_s(histories: Mapping[str, History]) -> float | None:
    """Return how seldom the server hears of the meter: of power, since energy may rest between two steps."""
    for quantity in (Quantity.POWER_W, Quantity.ENERGY_J):
        if quantity in histories and (gap_s := histories[quantity].longest_gap_s) is not None:
            return gap_s
    return None
