"""The streaming client: the hot path that receives bytes and stamps them, and the proof that it kept up.

Hot path (``answer``, ``connection``): stamp, take off the transfer coding, watch for the end; nothing is
decoded there. Cold path (``stream_client``, ``dial``, ``request``): once a request. ``proof`` and
``self_test`` judge the client itself.
"""

from joulemark.engines.client.loop import new_event_loop, quiet_gc
from joulemark.engines.client.proof import ClientProbe
from joulemark.engines.client.self_test import SelfTest, self_test
from joulemark.engines.client.stream_client import StreamClient

__all__ = ["ClientProbe", "SelfTest", "StreamClient", "new_event_loop", "quiet_gc", "self_test"]
