"""Thin commands: parse, call, print. No logic."""
