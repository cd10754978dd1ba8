"""``joulemark bench opt-in``, ``opt-out``: whether runs are submitted to a board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

_PATIENCE_S = 5.0


@click.command(name="opt-in")
@click.option("--server", metavar="URL", help="The board that runs go to; kept on file.")
@click.option("--show", is_flag=True, help="Print the text alone: nothing changes.")
@click.option("--json", "as_json", is_flag=True, help="Print what is on file as JSON.")
def opt_in(server: str | None, show: bool, as_json: bool) -> None:
    """Agree that every run is submitted from now on; prints what leaves this machine and what never does."""
    from joulemark.bundles.submission.consent import TEXT, give_consent, read_consent
    from joulemark.bundles.submission.server import address_of

    address = address_of(server, None) if server else None
    if not as_json:
        click.echo(TEXT)
    before = read_consent()
    consent = before if show else give_consent(address)
    board = address_of(None, consent.server)
    why_away = None if show or board is None else _why_away(board)
    if as_json:
        _print_json(TEXT, {} if show or board is None else {"board_answers": not why_away})
        return
    click.echo("")
    if show and not consent.holds:
        click.echo("you have not opted in: `joulemark bench opt-in` does so")
        return
    click.echo(f"you opted in on {consent.given_utc}; `joulemark bench opt-out` ends it")
    for line in _board_lines(board, before.server, consent.server):
        click.echo(line)
    if why_away is not None:
        said = f"does not answer now ({why_away}): runs wait until it does" if why_away else "answers"
        click.echo(f"{board} {said}")


@click.command(name="opt-out")
@click.option("--json", "as_json", is_flag=True, help="Print what is on file as JSON.")
def opt_out(as_json: bool) -> None:
    """Submit nothing any more. What was sent stays published: `bench withdraw RUN` takes it back."""
    from joulemark.bundles.submission.consent import take_back
    from joulemark.bundles.submission.spool import Spool

    take_back()
    if as_json:
        _print_json(None, {})
        return
    click.echo("nothing is submitted any more")
    spool = Spool()
    waiting = sum(one.kind == "submission" for one in spool.waiting())
    if waiting:
        click.echo(f"{waiting} bundle(s) still wait in {spool.root} and are not sent unless you submit again")
    if any("submission" in one for one in spool.records()):
        click.echo("what was sent stays published; `joulemark bench withdraw RUN` takes a run back")


def _board_lines(board: str | None, before: str | None, on_file: str | None) -> Iterator[str]:
    """Say which board runs go to, which it was before, and what stays with that one."""
    from joulemark.bundles.submission.server import VARIABLE
    from joulemark.bundles.submission.spool import Spool

    if board is None:
        yield f"no board is known yet: --server URL gives one, or {VARIABLE}; runs wait until then"
        return
    changed = before is not None and before != on_file
    yield f"runs go to {board}" + (f"; before, they went to {before}" if changed and board == on_file else "")
    if board != on_file:
        yield f"  {VARIABLE} says so, and comes before what is on file ({on_file or 'no board'})"
    if changed and (n := sum(one.board == before for one in Spool().waiting())):
        yield f"  {n} still wait for {before}; `joulemark bench submit` tries that again, no other gets them"


def _why_away(board: str) -> str:
    """Ask the board for a small document; returns why it gave none, nothing where it did."""
    from joulemark.bundles.submission.server import fetch

    answer = fetch(board, "/api/v1/audit?limit=1", timeout_s=_PATIENCE_S)
    if answer.state != "sent":
        return answer.why
    return "" if "lines" in (answer.facts or {}) else "what answers there is no board"


def _print_json(text: str | None, told: Mapping[str, object]) -> None:
    import orjson

    from joulemark.bundles.submission.consent import read_consent

    consent = read_consent()
    document = {
        "opted_in": consent.holds,
        "given_utc": consent.given_utc,
        "server": consent.server,
        "licence": "CC-BY-4.0",
        **told,
        **({} if text is None else {"text": text}),
    }
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
