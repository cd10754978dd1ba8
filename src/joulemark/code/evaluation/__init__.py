"""Evaluating programs: problem by problem, with a journal of raw runs that a second start goes on with."""
