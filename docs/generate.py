"""Write docs/methodology.md from the metric definitions; ``--check`` fails when it is out of date."""

from __future__ import annotations

import sys
from pathlib import Path

from joulemark.report.methodology import methodology

DOCS = Path(__file__).parent


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
