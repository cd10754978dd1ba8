"""The double of package ``zeus``; never on the path outside `doubles.zeus_world.zeus_in_place`."""

__version__ = "0.16.0"
