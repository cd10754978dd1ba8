"""Response bodies of every engine: framed, read and judged by one parser.

Hot path: `EndDetector` only. Cold path, after the exchange: `parse` makes a `Reply` of the stamped reads.
"""

from joulemark.engines.streams.capture import parse_file
from joulemark.engines.streams.ending import EndDetector
from joulemark.engines.streams.fault import Fault
from joulemark.engines.streams.frame import Frame
from joulemark.engines.streams.framer import BodyKind, Framer
from joulemark.engines.streams.parse import parse
from joulemark.engines.streams.reply import Event, Reply, reply_json
from joulemark.engines.streams.tools import ToolCall
from joulemark.engines.streams.usage import Usage

__all__ = [
    "BodyKind",
    "EndDetector",
    "Event",
    "Fault",
    "Frame",
    "Framer",
    "Reply",
    "ToolCall",
    "Usage",
    "parse",
    "parse_file",
    "reply_json",
]
