"""Joulemark: what a correct answer of a language model costs, and what any block of code does."""

__version__ = "0.1.0"
__all__ = ["__version__", "measure"]


def __getattr__(name: str) -> object:
    """Import what is asked for (see ``__init__.pyi``); importing the package itself imports nothing."""
    if name == "measure":
        from importlib import import_module

        found: object = import_module("joulemark.live.measure").measure
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
