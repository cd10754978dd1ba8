"""Joulemark: what a correct answer of a language model costs."""

__version__ = "0.1.0"
__all__ = ["__version__"]
