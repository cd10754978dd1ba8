"""The user's files: where they lie (``homes``), written whole (``atomic``), held by one process (``locks``).

At the bottom of the house, beside ``record``: it imports nothing of ours. What goes wrong is an ``OSError``;
the caller knows which sentence helps.
"""
