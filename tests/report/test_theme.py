"""What is drawn comes from records that others wrote: no letter of theirs may end the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In a process of its own: the drawing library ends the process that it cannot draw in.
DRAW = """
import sys
import altair as alt
from joulemark.report.theme import Picture, svg
word = eval(sys.argv[1])
data = alt.NamedData("rows")
chart = alt.Chart(data, title=word).mark_bar().encode(x=alt.X("of:N", title=word), y=alt.Y("n:Q"))
print(ascii(svg(Picture(chart, {"rows": [{"of": word, "n": 1.0}]}), "a", "b")))
"""


@pytest.mark.parametrize("word", ["\x1b[2J", "a\x00b", "\ud800", "\uffff", "\x0b", "<script>", "two\nlines"])
def test_any_word_can_be_drawn(word: str) -> None:
    done = subprocess.run([sys.executable, "-c", DRAW, ascii(word)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert "<svg" in done.stdout
    assert "<script" not in done.stdout
