"""``joulemark board keys``: who may moderate a board, and who may submit more than a stranger."""

from __future__ import annotations

import click

from joulemark.cli.board_database import database_option, named, opened

_json = click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")


@click.group()
def keys() -> None:
    """Keys of a board. A moderator's opens /moderation; a submitter's has no limit an address."""


@keys.command()
@click.argument("name")
@click.option("--role", type=click.Choice(["moderator", "submitter"]), default="moderator", show_default=True)
@database_option
@_json
def add(name: str, role: str, database: str, as_json: bool) -> None:
    """Make a key for NAME and print it: it cannot be read again."""
    import orjson

    from joulemark.record.errors import InputError

    if not 1 <= len(name) <= 80 or not name.isprintable():
        raise InputError("the name has to be 1 to 80 letters")
    with opened(database) as engine:
        from joulemark.board.database.writing import writing
        from joulemark.board.intake.keys import ROLES, new_key

        chosen = next(one for one in ROLES if one == role)
        with writing(engine) as connection:
            key = new_key(connection, name, chosen)
    click.echo(orjson.dumps({"name": name, "role": role, "key": key}).decode() if as_json else key)


@keys.command(name="list")
@database_option
@_json
def list_(database: str, as_json: bool) -> None:
    """List the keys, without what opens them."""
    import orjson

    with opened(database) as engine:
        from joulemark.board.intake.keys import all_keys

        with engine.connect() as connection:
            found = all_keys(connection)
    if as_json:
        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    for one in found:
        state = "revoked" if one["revoked_at"] else "good"
        click.echo(f"{one['id']}  {one['role']:9}  {state:7}  {one['created_at'][:10]}  {one['name']}")
    if not found:
        click.echo(f"there are none; `joulemark board keys add NAME{named(database)}` makes one")


@keys.command()
@click.argument("key_id", metavar="ID")
@database_option
@_json
def revoke(key_id: str, database: str, as_json: bool) -> None:
    """Revoke a key by its id, which `keys list` shows."""
    import orjson

    from joulemark.record.errors import InputError

    with opened(database) as engine:
        from joulemark.board.database.writing import writing
        from joulemark.board.intake.keys import revoke as revoke_key

        with writing(engine) as connection:
            known = revoke_key(connection, key_id[:64])
    if not known:
        raise InputError(
            "there is no such key in use", fix=f"joulemark board keys list{named(database)}   shows their ids"
        )
    click.echo(orjson.dumps({"revoked": key_id}).decode() if as_json else f"{key_id}: revoked")
