"""Migrations of a board's database."""
