"""Meters read now: a set of tested sources, the energy of a program or a block of code, live watching.

Entries: ``measure`` (`measure`, also ``joulemark.measure``), ``program`` (`measure_program`), ``watching``
(`Watch`), ``exporter`` (`LiveExporter`), and ``meter_set`` (`MeterSet`), on which they all rest.

NumPy and pydantic are imported inside functions here. A program that is to be measured imports this room, and
they would add more than a tenth of a second to its start; they are needed when figures are asked for.
"""
