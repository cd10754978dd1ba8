"""The templates of the pages: where they lie and what they may use."""

from __future__ import annotations

from functools import cache

import jinja2
from markupsafe import Markup, escape


def coded(text: str) -> Markup:
    """Return a sentence, escaped, with its `commands` set as code."""
    parts = [escape(part) for part in text.split("`")]
    # an odd number of back-ticks leaves the last one as it is
    if len(parts) % 2 == 0:
        parts[-2:] = [parts[-2] + "`" + parts[-1]]
    return Markup("").join(Markup("<code>{}</code>").format(p) if k % 2 else p for k, p in enumerate(parts))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("joulemark.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["coded"] = coded
    return environment


def template(name: str) -> jinja2.Template:
    """Return ``NAME.html.jinja``. It escapes all but `Markup`, and an unknown name in it is an error."""
    return _environment().get_template(f"{name}.html.jinja")
