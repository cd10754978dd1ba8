"""Meters read now: a set of tested sources, the energy of a program or a block of code, live watching."""
