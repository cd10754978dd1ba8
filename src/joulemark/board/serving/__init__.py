"""The board as a server: its connections, and its end."""
