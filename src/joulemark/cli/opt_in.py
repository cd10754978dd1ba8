"""``joulemark bench opt-in``, ``opt-out``: whether runs are submitted to a board."""

from __future__ import annotations

import click


@click.command(name="opt-in")
@click.option("--server", metavar="URL", help="The board that runs go to; kept on file.")
@click.option("--show", is_flag=True, help="Print the text alone: nothing changes.")
@click.option("--json", "as_json", is_flag=True, help="Print what is on file as JSON.")
def opt_in(server: str | None, show: bool, as_json: bool) -> None:
    """Agree that every run is submitted from now on; prints what leaves this machine and what never does."""
    from joulemark.bundles.submission.consent import TEXT, give_consent, read_consent
    from joulemark.bundles.submission.server import VARIABLE, address_of

    address = address_of(server, None) if server else None
    if not as_json:
        click.echo(TEXT)
    consent = read_consent() if show else give_consent(address)
    if as_json:
        _print_json(TEXT)
        return
    click.echo("")
    if show and not consent.holds:
        click.echo("you have not opted in: `joulemark bench opt-in` does so")
        return
    click.echo(f"you opted in on {consent.given_utc}; `joulemark bench opt-out` ends it")
    if address_of(None, consent.server) is None:
        click.echo(f"no board is known yet: --server URL gives one, or {VARIABLE}; runs wait until then")


@click.command(name="opt-out")
@click.option("--json", "as_json", is_flag=True, help="Print what is on file as JSON.")
def opt_out(as_json: bool) -> None:
    """Submit nothing any more. What was sent stays published: `bench withdraw RUN` takes it back."""
    from joulemark.bundles.submission.consent import take_back
    from joulemark.bundles.submission.spool import Spool

    take_back()
    if as_json:
        _print_json(None)
        return
    click.echo("nothing is submitted any more")
    spool = Spool()
    waiting = sum(one.kind == "submission" for one in spool.waiting())
    if waiting:
        click.echo(f"{waiting} bundle(s) still wait in {spool.root} and are not sent unless you submit again")
    if any("submission" in one for one in spool.records()):
        click.echo("what was sent stays published; `joulemark bench withdraw RUN` takes a run back")


def _print_json(text: str | None) -> None:
    import orjson

    from joulemark.bundles.submission.consent import read_consent

    consent = read_consent()
    document = {
        "opted_in": consent.holds,
        "given_utc": consent.given_utc,
        "server": consent.server,
        "licence": "CC-BY-4.0",
        **({} if text is None else {"text": text}),
    }
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
