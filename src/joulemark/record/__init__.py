"""The types of a run and of an energy; nothing else. The bottom of the house.

Import from the modules: ``energy`` (MeasuredEnergy, Withheld, …), ``scope``, ``item``, ``telemetry``,
``meter``, ``attribution``, ``manifest`` (pydantic), ``reason``, ``clock``, ``identity``, ``errors``.
"""
