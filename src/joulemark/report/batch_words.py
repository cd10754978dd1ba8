"""What a batch of pictures or videos was, in words: the summary of a run of words has none for it."""

from __future__ import annotations

from joulemark.metrics.media import medium_of
from joulemark.metrics.run_view import RunView


def batch_words(run: RunView) -> str:
    """Return what each batch of a run was; nothing for a run that asked for words.

    What the engine's flags do not tell is left out.
    """
    medium, flags = medium_of(run), run.manifest.engine.flags
    if medium is None:
        return ""
    size = flags.get("max_batch")
    told = medium if size is None else f"{size} {medium}{'' if size == 1 else 's'}"
    if {"width", "height"} <= flags.keys():
        told += f" of {flags['width']} × {flags['height']} pixels"
    if flags.get("frames") is not None:
        told += f", {flags['frames']} frames"
    if flags.get("denoising_steps") is not None:
        told += f", in {flags['denoising_steps']} steps"
    return f"Each batch: {told}."
