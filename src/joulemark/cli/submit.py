"""``joulemark bench submit``, ``withdraw``: runs for others, and back again."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from joulemark.bundles.submission.spool import Spool, Waiting
    from joulemark.bundles.submission.submitting import Delivery
    from joulemark.metrics.summary import Summary

_server = click.option("--server", metavar="URL", help="The board; else as opted in, or $JOULEMARK_BOARD.")
_json = click.option("--json", "as_json", is_flag=True, help="Print what came of it as JSON.")


@click.command()
@click.argument("target", required=False, metavar="[FILE|RUN]", type=click.Path(path_type=Path))
@click.option("--preview", is_flag=True, help="Print what would be sent, and send nothing.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the bundle, and send nothing."
)
@click.option("--agree", is_flag=True, help="Agree to `bench opt-in --show` for this one submission.")
@_server
@_json
def submit(
    target: Path | None, preview: bool, out: Path | None, agree: bool, server: str | None, as_json: bool
) -> None:
    """Pack RUN, or take a bundle FILE, and send it to a board; without either, send what waits.

    What cannot be sent now waits on this machine for the board that it was meant for; no other gets it. Exit
    code 3: it does not verify, or the board refused it.
    """
    from joulemark.bundles.submission.consent import read_consent
    from joulemark.bundles.submission.server import address_of
    from joulemark.bundles.submission.spool import Spool
    from joulemark.record.errors import InputError

    if target is None and (preview or out is not None):
        raise InputError("there is nothing to pack", fix="name a run: joulemark bench submit RUN --preview")
    spool = Spool()
    digest = None
    if target is not None:
        data, members, facts = _bundle(target)
        if preview:
            _preview(members, target, as_json=as_json)
            return
        if out is not None:
            _write(out, data, as_json=as_json)
            return
    consent = read_consent()
    if not (consent.holds or agree):
        raise InputError(
            "nothing was sent: you have not agreed to what a submission means",
            why="runs are published under CC BY 4.0",
            fix="joulemark bench opt-in   (or --agree for this one; `bench opt-in --show` prints the text)",
        )
    address = address_of(server, consent.server)
    if target is not None:
        digest = spool.put(data, facts, address)
    sys.exit(_deliver(spool, address, digest, as_json=as_json, others=target is None and server is None))


@click.command()
@click.argument("name", metavar="RUN|DIGEST")
@_server
@_json
def withdraw(name: str, server: str | None, as_json: bool) -> None:
    """Take a submitted run back: by its directory, its id, or its bundle's digest (eight digits are enough).

    The board shows it no more. Copies that others took under the licence cannot be called back.
    """
    from joulemark.bundles.submission.consent import read_consent
    from joulemark.bundles.submission.server import address_of
    from joulemark.bundles.submission.signing import load_key
    from joulemark.bundles.submission.spool import Spool
    from joulemark.bundles.submission.submitting import withdrawal
    from joulemark.record.errors import InputError
    from joulemark.runs.layout import RunLayout

    spool = Spool()
    run = Path(name)
    known = spool.of(RunLayout(run).read_manifest().run_id if run.is_dir() else name)
    if not known:
        raise InputError(
            f"{name} was not submitted from here",
            fix=f"the records of what was lie in {spool.root / 'records'}",
        )
    given = address_of(server, None) if server else None
    address = given or address_of(None, read_consent().server)
    for record in known:
        digest = str(record["digest"])
        spool.drop(digest)
        if "submission" not in record:
            click.echo(f"{digest[:16]}: it had not been sent, and will not be", err=as_json)
            continue
        spool.put_withdrawal(digest, withdrawal(digest, load_key()), given or _board_of(record) or address)
    sys.exit(_deliver(spool, address, None, as_json=as_json, others=given is None))


def after_run(root: Path, summary: Summary) -> None:
    """Submit a finished run where the user opted in; else say how it could be. Never fails the run.

    What was simulated or played back, and a run that is not whole, is not submitted by itself.
    """
    from joulemark.record.errors import InputError
    from joulemark.record.simulated import is_simulated_kind

    if summary.state != "complete" or summary.replayed or is_simulated_kind(summary.engine):
        return
    from joulemark.bundles.submission.consent import read_consent

    consent = read_consent()
    if not consent.holds:
        click.echo(
            f"share:  joulemark bench submit {shlex.quote(str(root))}   (--preview shows what would be sent)",
            err=True,
        )
        return
    try:
        from joulemark.bundles.submission.server import address_of
        from joulemark.bundles.submission.spool import Spool

        data, _, facts = _bundle(root)
        spool, address = Spool(), address_of(None, consent.server)
        digest = spool.put(data, facts, address)
        _deliver(spool, address, digest, as_json=False, to_stderr=True)
    except InputError as error:
        click.echo(f"not submitted: {error}", err=True)
    # The run is measured and stored: whatever is wrong here, its command has not failed.
    except Exception as error:
        click.echo(f"not submitted: {type(error).__name__}: {error}; please report this", err=True)


def _bundle(target: Path) -> tuple[bytes, dict[str, bytes], dict[str, Any]]:
    """Return a bundle's bytes, members and what is noted of it here; one that does not verify is not sent."""
    from joulemark.bundles.submission.archive import read_archive
    from joulemark.bundles.submission.bundle_file import read_bundle
    from joulemark.bundles.submission.pack import pack
    from joulemark.bundles.submission.verify import verify
    from joulemark.record.errors import InputError
    from joulemark.runs.layout import RunLayout

    if target.is_dir():
        packed = pack(target)
        run_id = RunLayout(target).read_manifest().run_id
        return packed.data, dict(packed.members), {"run_id": run_id, "run_dir": str(target.resolve())}
    data = read_bundle(target)
    found = verify(data)
    if not found.verified or found.summary is None:
        error = InputError(
            f"{target} does not verify, and is not sent",
            why="; ".join(finding.why for finding in found.findings),
            fix=f"joulemark verify {target}   says what is wrong with it",
        )
        error.exit_code = 3
        raise error
    return data, read_archive(data), {"run_id": found.summary.run_id, "file": str(target.resolve())}


def _preview(members: dict[str, bytes], target: Path, *, as_json: bool) -> None:
    from joulemark.report.bundle_preview import preview_lines, summary_lines

    if as_json:
        import orjson

        click.echo(orjson.dumps({name: data.decode() for name, data in members.items()}).decode())
        return
    shown = summary_lines(members, target) if _is_terminal() else preview_lines(members)
    for line in shown:
        click.echo(line)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _write(out: Path, data: bytes, *, as_json: bool) -> None:
    import hashlib

    import orjson

    from joulemark.runs.layout import write_atomically

    write_atomically(out, data)
    digest = hashlib.sha256(data).hexdigest()
    if as_json:
        click.echo(orjson.dumps({"file": str(out), "bytes": len(data), "digest": digest}).decode())
    else:
        click.echo(f"{out}: {len(data):,} bytes, {digest}\nnext: joulemark verify {shlex.quote(str(out))}")


def _deliver(
    spool: Spool,
    address: str | None,
    digest: str | None,
    *,
    as_json: bool,
    to_stderr: bool = False,
    others: bool = False,
) -> int:
    """Send what waits (``others``: for other boards too) and say what came of it; returns the exit code."""
    import orjson

    from joulemark.bundles.submission.answered import answered
    from joulemark.bundles.submission.submitting import deliver

    deliveries = list(deliver(spool, address, others=others))
    waiting = spool.waiting()
    if as_json:
        document = {
            "board": address,
            "digest": digest,
            "delivered": [_told(one) for one in deliveries],
            "waiting": [
                {"digest": one.digest, "kind": one.kind, "board": one.board or address} for one in waiting
            ],
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        for one in deliveries:
            state = one.answer.state
            taken = answered(one.answer.facts or {}) if one.message.kind == "submission" else "arrived"
            said = {"sent": taken, "refused": "REFUSED", "away": "waits"}[state]
            why = f" ({one.answer.why})" if one.answer.why else ""
            place = "" if one.board == address else f" ({one.board})"
            click.echo(f"{one.message.kind} {one.message.digest[:16]}{place}: {said}{why}", err=to_stderr)
        for line in _still_waiting(spool.root, waiting, deliveries, address):
            click.echo(line, err=to_stderr)
        if not waiting and not deliveries:
            click.echo("nothing waits to be sent", err=to_stderr)
    return 3 if any(one.answer.state == "refused" for one in deliveries) else 0


def _still_waiting(
    root: Path, waiting: Sequence[Waiting], deliveries: Sequence[Delivery], address: str | None
) -> Iterator[str]:
    """Say what waits, by the board that it waits for."""
    tried = {one.board for one in deliveries}
    for board, n in Counter(one.board or address for one in waiting).items():
        if board is None:
            yield f"{n} waiting in {root}: no board is known (--server URL)"
        elif board in tried:
            again = "`joulemark bench submit` tries again"
            if any(one.kind == "submission" and (one.board or address) == board for one in waiting):
                again += ", `joulemark bench submit RUN --server URL` sends it to another board instead"
            yield f"{n} waiting in {root} for {board}, which does not take it now; {again}"
        else:
            yield (
                f"{n} waiting in {root} for {board}, and sent to no other board; `joulemark bench submit` "
                "sends it there"
            )


def _told(one: Delivery) -> dict[str, Any]:
    answer = one.answer
    return {
        "digest": one.message.digest,
        "kind": one.message.kind,
        "board": one.board,
        "state": answer.state,
        "why": answer.why or None,
        "answer": answer.facts,
    }


def _board_of(record: dict[str, Any]) -> str | None:
    """Return the board that a bundle was sent to."""
    sent = record.get("submission")
    board = sent.get("board") if isinstance(sent, dict) else None
    return board if isinstance(board, str) else None
