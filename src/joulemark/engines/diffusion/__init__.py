"""Pipelines of ``diffusers`` in a child process: pictures and videos from prompts, a batch a request."""

from joulemark.engines.diffusion.engine import DiffusionEngine
from joulemark.engines.diffusion.options import KINDS, DiffusionOptions, MediaKind

__all__ = ["KINDS", "DiffusionEngine", "DiffusionOptions", "MediaKind"]
