"""Write docs/methodology.md from the metric definitions; ``--check`` fails when it is out of date."""

from __future__ import annotations

import sys
from pathlib import Path

from joulemark.metrics.catalogue import all_definitions

DOCS = Path(__file__).parent


def methodology() -> str:
    """Return the page."""
    parts = [(DOCS / "methodology.preface.md").read_text()]
    for definition in all_definitions():
        parts.append(f"### {definition.title}\n\n")
        parts.append(f"`{definition.name}`, in {definition.unit}: ${definition.latex}$\n\n")
        parts.append(f"- from: {', '.join(f'`{name}`' for name in definition.inputs)}\n")
        if definition.withheld_when:
            parts.append(f"- withheld when {'; when '.join(definition.withheld_when)}\n")
        parts.append(f"- source: {definition.source}\n\n")
    return "".join(parts).rstrip() + "\n"


def main() -> int:
    """Write the page, or compare it with ``--check``."""
    page = DOCS / "methodology.md"
    text = methodology()
    if "--check" in sys.argv[1:]:
        current = page.read_text() if page.exists() else ""
        if current != text:
            sys.stderr.write("docs/methodology.md is out of date; run: python docs/generate.py\n")
            return 3
        return 0
    page.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
