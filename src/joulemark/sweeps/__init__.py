"""Grids of runs, and what to run."""
