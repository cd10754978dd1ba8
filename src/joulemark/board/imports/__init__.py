"""Rows that others published, at the lowest rung of trust, and what fills an empty board."""
