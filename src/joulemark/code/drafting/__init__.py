"""Generators of tests that a model writes: asked for, validated in the sandbox, and asked for again."""
