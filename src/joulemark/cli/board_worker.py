"""``joulemark board worker``: evaluates the programs that were uploaded to a board."""

from __future__ import annotations

from pathlib import Path

import click

from joulemark.cli.board_database import database_option, opened


@click.command()
@database_option
@click.option("--once", is_flag=True, help="End when no evaluation waits.")
@click.option(
    "--datasets",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Problems to offer beside the built-in ones: a file or a folder each.",
)
@click.option("--work", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="For raw runs.")
@click.option("--user", metavar="NAME", help="Who evaluates, where root starts this (default: nobody).")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Programs at a time (default: one a physical core)."
)
@click.option(
    "--job-hours",
    type=click.FloatRange(0, 1000, min_open=True),
    default=12.0,
    show_default=True,
    help="Longest evaluation.",
)
@click.option("--json", "as_json", is_flag=True, help="Print an event a line as JSON.")
def worker(
    database: str,
    once: bool,
    datasets: Path | None,
    work: Path | None,
    user: str | None,
    workers: int | None,
    job_hours: float,
    as_json: bool,
) -> None:
    """Evaluate uploaded programs, one upload at a time, each by a process without rights.

    It refuses to start where `joulemark code selftest` does not pass (exit code 3). With --once: exit code 1
    where it took evaluations and none was completed. Ctrl-C gives back what is under way.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    import os
    import signal

    import orjson

    from joulemark.board.code_service.datasets import found_in
    from joulemark.board.code_service.unprivileged import ordinary_user, require_start, working_folder
    from joulemark.board.code_service.worker import Worker
    from joulemark.files.homes import data_home
    from joulemark.files.locks import FileLock, LockHeld
    from joulemark.record.errors import InputError
    from joulemark.report.wording import printable

    def say(event: str, **facts: str) -> None:
        if as_json:
            click.echo(orjson.dumps({"event": event, **facts}).decode())
        else:
            told = " ".join(filter(None, (event, facts.get("job", ""), facts.get("why", ""))))
            click.echo(f"· {printable(told)}", err=True)

    with opened(database) as engine:
        who = ordinary_user(user)
        otherwise = Path("/var/lib/joulemark") if os.geteuid() == 0 else data_home()
        place = working_folder(work or otherwise / "code-worker", who)
        try:
            lock = FileLock(place / ".worker.lock")
        except (LockHeld, OSError) as error:
            raise InputError(
                "there is a worker on this machine",
                why=f"{place} is in use, and two would measure each other's load ({error})",
                fix="leave it at one, or name another folder with --work for one with processors of its own",
            ) from error
        sets = found_in(datasets)
        require_start(who, place)
        made = Worker(engine, sets, place, who, workers, job_hours * 3600, say=say)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: made.stop())
        made.require_selftest()
        say("ready", user=who.name)
        made.run(once=once)
    lock.release()
    if once and made.ended and not made.ended["done"]:
        raise click.exceptions.Exit(1)
