from joulemark.live.measure import measure as measure

__version__: str
__all__ = ["__version__", "measure"]
