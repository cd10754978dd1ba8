"""``joulemark bench open``: show a board a few answers of a submitted run, where it asks for them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from joulemark.bundles.submission.opening import OpenAnswer

_ID = re.compile(r"(?:(?P<board>https?://[^?#]+)/api/v1/challenges/)?(?P<id>[0-9a-f]{32})")


@click.command(name="open")
@click.argument("challenge", metavar="CHALLENGE")
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="The run, where it was moved.")
@click.option("--server", metavar="URL", help="The board; else as in CHALLENGE, or as opted in.")
@click.option("--yes", is_flag=True, help="Send them. Without it they are only shown.")
@click.option("--json", "as_json", is_flag=True, help="Print what was sent and what came of it as JSON.")
def open_(challenge: str, run: Path | None, server: str | None, yes: bool, as_json: bool) -> None:
    """Open the answers that a CHALLENGE (its address, or its 32 digits) asks for.

    These words leave this machine, and no others: each with a key that opens this answer alone. The board
    compares them with the commitments in the bundle and grades them again. Exit code 3: they are not what the
    bundle says.
    """
    import orjson

    from joulemark.bundles.submission.opening import CHALLENGES, open_answers, openings
    from joulemark.bundles.submission.server import post
    from joulemark.bundles.submission.signing import load_key
    from joulemark.record.errors import InputError
    from joulemark.runs.commitment import commitment_key

    found = _ID.fullmatch(challenge)
    if found is None:
        raise InputError("that is no challenge", fix="give the address that the submission's page shows")
    address = _address(found["board"] or server)
    asked = _asked(address, found["id"])
    root = run or _run_of(asked["digest"])
    answers = open_answers(
        root, [(one["item_id"], one["repeat"]) for one in asked["asked"]], commitment_key()
    )
    if not as_json:
        _show(answers, root)
    result: dict[str, Any] | None = None
    if yes:
        body = openings(found["id"], asked["digest"], answers, load_key())
        answer = post(address, f"{CHALLENGES}/{found['id']}/openings", body, "application/json", found["id"])
        if answer.state != "sent":
            raise InputError("the answers were not taken", why=answer.why, fix="give the command again later")
        result = answer.facts or {}
    if as_json:
        sent = [{"item_id": one.item_id, "repeat": one.repeat, "answer": one.answer} for one in answers]
        click.echo(orjson.dumps({"answers": sent, "sent": yes, "result": result}).decode())
    elif result is None:
        click.echo("nothing was sent; --yes sends these answers")
    else:
        click.echo(f"the challenge is {result.get('state')}")
    sys.exit(3 if result is not None and result.get("state") != "passed" else 0)


def _asked(address: str, challenge: str) -> dict[str, Any]:
    """Return a challenge that is open; raises `InputError` for another."""
    from joulemark.bundles.submission.opening import CHALLENGES
    from joulemark.bundles.submission.server import fetch
    from joulemark.record.errors import InputError

    answer = fetch(address, f"{CHALLENGES}/{challenge}")
    facts = answer.facts or {}
    if answer.state != "sent" or not _is_challenge(facts):
        raise InputError(
            "the challenge cannot be read", why=answer.why or "the board answered something else"
        )
    if facts["state"] != "open":
        raise InputError("the challenge is over", why=f"it is {str(facts['state'])[:20]}")
    return facts


def _is_challenge(facts: dict[str, Any]) -> bool:
    asked = facts.get("asked")
    return (
        isinstance(facts.get("digest"), str)
        and isinstance(asked, list)
        and all(
            isinstance(one, dict) and isinstance(one.get("item_id"), str) and type(one.get("repeat")) is int
            for one in asked
        )
        and isinstance(facts.get("state"), str)
    )


def _address(given: str | None) -> str:
    from joulemark.bundles.submission.consent import read_consent
    from joulemark.bundles.submission.server import address_of
    from joulemark.record.errors import InputError

    address = address_of(given, read_consent().server)
    if address is None:
        raise InputError("no board is known", fix="give the whole address of the challenge, or --server URL")
    return address


def _run_of(digest: str) -> Path:
    """Return where the run of a submitted bundle lies; raises `InputError`."""
    from joulemark.bundles.submission.spool import Spool
    from joulemark.record.errors import InputError

    places = [one["run_dir"] for one in Spool().of(digest) if isinstance(one.get("run_dir"), str)]
    if not places or not Path(places[0]).is_dir():
        raise InputError(
            f"the run of bundle {digest[:16]} is not known here",
            why="it was not submitted from here as a run, or its directory was moved",
            fix="name it: --run DIR",
        )
    return Path(places[0])


def _show(answers: tuple[OpenAnswer, ...], root: Path) -> None:
    click.echo(f"{len(answers)} answers of {root} are asked for:")
    for one in answers:
        click.echo(f"--- {one.item_id}" + (f", repeat {one.repeat}" if one.repeat else ""))
        click.echo("".join(c if c.isprintable() or c == "\n" else "�" for c in one.answer))
    click.echo("---")
