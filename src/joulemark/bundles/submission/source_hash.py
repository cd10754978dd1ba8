"""Which harness it was: a hash over its own source, so that a changed one can be told."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

import joulemark
from joulemark.bundles.submission.documents import Software

_NOT_SOURCE = ("__pycache__",)
_PACKAGES = ("numpy", "pydantic", "orjson")


@cache
def source_hash() -> str:
    """Return the SHA-256 (hex) over the path and hash of every file of this package, in order."""
    root = Path(joulemark.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(path.relative_to(root) for path in root.rglob("*") if path.is_file()):
        if path.suffix == ".pyc" or any(part in _NOT_SOURCE for part in path.parts):
            continue
        digest = hashlib.sha256((root / path).read_bytes()).hexdigest()
        whole.update(f"{path.as_posix()} {digest}\n".encode())
    return whole.hexdigest()


def software_here() -> Software:
    """Return what packs a bundle here."""
    return Software(
        joulemark.__version__, source_hash(), {name: metadata.version(name) for name in _PACKAGES}
    )
