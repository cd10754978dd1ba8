"""A simulated server whose true energy is known, on virtual or on real time."""
