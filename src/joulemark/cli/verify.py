"""``joulemark verify``: whether a bundle is what it says, offline."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("bundle", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.option("--key", metavar="HEX", help="The public key that has to have signed it.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that was recomputed, unrounded.")
def verify(bundle: Path, key: str | None, as_json: bool) -> None:
    """Check BUNDLE and recompute every figure of it from its answers and readings.

    Nothing is fetched and nothing of the bundle is believed. Exit code 0: it verifies; 3: it does not; 2: it
    is no bundle. A signature proves where it comes from, not that it is true.
    """
    import orjson

    from joulemark.bundles.submission.bundle_file import read_bundle
    from joulemark.bundles.submission.verify import verify as verified
    from joulemark.report.bundle_terminal import verification_lines

    found = verified(read_bundle(bundle), signer=key)
    if as_json:
        click.echo(orjson.dumps(found.to_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        for line in verification_lines(found):
            click.echo(line)
    sys.exit(0 if found.verified else 3)
