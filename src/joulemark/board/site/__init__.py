"""The whole board as static files."""
