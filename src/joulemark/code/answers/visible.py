"""The part of an answer that a reader would see: no thinking, no control tokens, plain line ends."""

from __future__ import annotations

import re

from joulemark.tasks.extract.visible import kept_ranges

MAX_ANSWER_CHARS = 100_000
"""How much of an answer is read: more than any program asked for here takes."""
_HEADER = re.compile(
    r"\A\s*(?:<\|start_header_id\|>\s*\w*\s*<\|end_header_id\|>|<\|im_start\|>\s*\w*\n|<\|assistant\|>"
    r"|<start_of_turn>\s*\w*\n|\[/INST\]|<s>)"
)
_END = re.compile(
    r"<\|(?:eot_id|end_of_text|endoftext|im_end|im_start|end|start_header_id|eom_id|file_sep|EOT|return)\|>"
    r"|<(?:end_of_turn|start_of_turn|eos)>|</s>\s*\Z|\[/INST\]"
)


def visible_text(answer: str) -> str:
    """Return the visible part of an answer, its first `MAX_ANSWER_CHARS` characters at most."""
    ranges, _ = kept_ranges(answer)
    text = "".join(answer[start:end] for start, end in ranges)[:MAX_ANSWER_CHARS]
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = text.encode("utf-8", "replace").decode()
    while header := _HEADER.match(text):
        text = text[header.end() :]
    for end in _END.finditer(text):
        if text[: end.start()].strip():
            return text[: end.start()]
    return text
