"""The client with the meters read at both ends of an exchange: its energy is told from its neighbours'."""

from __future__ import annotations

from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Exchange
from joulemark.runs.metering import Metering


class EdgedClient:
    """Reads every source right before a request is sent and right after its last byte came.

    With ``edges`` off (requests overlap, so that no edge belongs to one of them) it only passes on.
    """

    def __init__(self, client: StreamClient, metering: Metering, *, edges: bool) -> None:
        self._client, self._metering, self._edges = client, metering, edges

    async def exchange(self, body: bytes) -> Exchange:
        """Send one request and return what came back; raises nothing but cancellation."""
        if not self._edges:
            return await self._client.exchange(body)
        await self._metering.edge()
        exchange = await self._client.exchange(body)
        await self._metering.edge()
        return exchange

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
