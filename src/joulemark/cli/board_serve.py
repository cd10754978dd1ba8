"""``joulemark board serve``: the board over HTTP, until it is told to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.board_database import database_option, named

if TYPE_CHECKING:
    from joulemark.board.settings import BoardSettings


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Another address than this machine's own."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one."
)
@database_option
@click.option(
    "--moderator-key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Holds the key that opens the moderation pages; `board keys add` makes further ones.",
)
@click.option("--behind-proxy", is_flag=True, help="Who asks stands last in X-Forwarded-For.")
@click.option("--public-url", metavar="URL", help="Where readers reach the board.")
@click.option("--code-service", is_flag=True, help="Take uploads of generated programs (`board worker`).")
@click.option(
    "--submissions-per-hour",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    help="Most of one address.",
)
@click.option(
    "--requests-per-minute",
    type=click.IntRange(min=1),
    default=600,
    show_default=True,
    help="Most of one address.",
)
@click.option("--json", "as_json", is_flag=True, help="Print where it listens as a line of JSON.")
def serve(as_json: bool, **options: Any) -> None:
    """Serve a board until Ctrl-C: /, /pick, /methodology, /submit, and the API below /api/v1.

    The database is made, or brought up to date, first. What is being taken in when it is told to end is
    finished. See docs/board.md for proxies, keys and backups.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    from joulemark.board.app import create_app
    from joulemark.board.serving.server import BoardServer, listen
    from joulemark.board.settings import BoardSettings

    settings = BoardSettings(
        database_url=options["database"],
        public_url=_address(options["public_url"]),
        moderator_key=_key(options["moderator_key_file"]),
        submissions_per_hour=options["submissions_per_hour"],
        requests_per_minute=options["requests_per_minute"],
        behind_proxy=options["behind_proxy"],
        code_service=options["code_service"],
    )
    with listen(options["host"], options["port"]) as listening:
        app = create_app(settings)
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

        def began() -> None:
            _tell(url, settings, as_json=as_json)

        BoardServer(app, listening, behind_proxy=settings.behind_proxy, began=began).serve_here()


def _tell(url: str, settings: BoardSettings, *, as_json: bool) -> None:
    if as_json:
        import orjson

        document = {"url": url, "api": f"{url}/api/v1", "moderated": settings.moderator_key is not None}
        click.echo(orjson.dumps(document).decode())
    else:
        click.echo(f"board at {url}")
        click.echo(f"  submit:   joulemark bench opt-in --server {settings.public_url or url}")
        if settings.moderator_key is None:
            add = f"joulemark board keys add NAME{named(settings.database_url)}"
            click.echo(f"  moderate: with a key of `{add}`, or --moderator-key-file")
        else:
            click.echo(f"  moderate: {url}/moderation")
        click.echo("Ctrl-C ends it.")
    sys.stdout.flush()


def _key(path: Path | None) -> str | None:
    """Return the moderator's key in a file; raises `InputError` for one that is missing or short."""
    from joulemark.record.errors import InputError

    if path is None:
        return None
    fix = f"python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > {path}; chmod 600 {path}"
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the key in {path} cannot be read", why=str(error), fix=fix) from error
    if not 16 <= len(key) <= 200 or not key.isprintable():
        raise InputError(f"{path} holds no key", why="it has to be a line of 16 letters to 200", fix=fix)
    return key


def _address(text: str | None) -> str | None:
    if text is None:
        return None
    from joulemark.bundles.submission.server import address_of

    return address_of(text, None)
