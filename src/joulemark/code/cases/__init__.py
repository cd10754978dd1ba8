"""Tests of a problem: inputs from its generator, expected results from its canonical solution."""
