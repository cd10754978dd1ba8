"""The columns of files that others publish, with a row written for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Write = Callable[..., Path]
"""Writes lines into a file of a name: the fixture ``write`` of tests/bundles."""

TEXT_HEADER = (
    "Model,GPU,TP,PP,Energy/req (J),Avg TPOT (s),"
    "Token tput (tok/s),Avg Output Tokens,Avg BS (reqs),Max BS (reqs)"
)
TEXT_ROW = "org/model,NVIDIA H100 80GB HBM3,2,1,100.5,0.05,1000.0,250.0,60.0,64"
VIDEO_HEADER = "Model,GPU,Energy/video (J),Batch latency (s),Batch size,Denoising steps,Frames"


def text_row(model: str, device: str, energy_j: float, tpot_s: float, batch: int) -> str:
    """Return a row of text: ``tpot_s`` comes out by Little's law."""
    return f"{model},{device},1,1,{energy_j},{tpot_s},{batch / tpot_s},250.0,{float(batch)},{batch}"


def text_file(path: Path, *rows: str) -> Path:
    """Write rows of text below the header."""
    path.write_text("\n".join((TEXT_HEADER, *rows)) + "\n")
    return path
