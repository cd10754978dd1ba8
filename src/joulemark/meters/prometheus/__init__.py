"""Energy and power that somebody else measures and shows in Prometheus' text format.

- ``prometheus``: one series of any exporter's page, or of a Prometheus server (`metric`, `server`);
- ``dcgm``: the boards of NVIDIA's DCGM exporter (`dcgm`).

The page is fetched by `scrape` over a connection of `joulemark.meters.http`, which has a hard time limit, and
read by `exposition`; nothing outside the standard installation is needed.
"""
