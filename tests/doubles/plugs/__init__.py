"""Plugs and a home server of one's own: real HTTP servers whose meters follow virtual time."""
