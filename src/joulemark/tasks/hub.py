"""Data sets from the Hugging Face hub: the hub's own Parquet copy, or named files, of one commit."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.tasks.definition import Hub
from joulemark.tasks.rows import DataSet, Source, read_sources

_PARQUET_REVISION = "refs/convert/parquet"
_AT_ONCE = 8
_INSTALL = "pip install 'joulemark[tasks]'"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A data set with the commit that it was read at, as ``hub:OWNER/NAME@COMMIT``."""

    data: DataSet
    source: str


def fetch(hub: Hub, *, revision: str | None, rows_key: str | None, expected: str) -> Fetched:
    """Download (or take from the hub's cache) and read a data set.

    ``revision`` pins a commit, as the record of a run names it (``Fetched.source``), in place of the
    definition's: of the branch with the hub's Parquet copy, unless the definition names files.
    Raises `InputError`: without the library, without network, for a gated data set without a token.
    """
    try:
        from huggingface_hub import HfApi, hf_hub_download
    except ModuleNotFoundError as error:
        raise InputError(
            f"the data set {hub.repo} cannot be fetched",
            why="the library for the Hugging Face hub is not installed",
            fix=f"{_INSTALL}, or pass the data with --data FILE",
        ) from error
    wanted = revision or hub.revision or (None if hub.files else _PARQUET_REVISION)
    try:
        facts = HfApi().dataset_info(hub.repo, revision=wanted)
        names = [sibling.rfilename for sibling in facts.siblings or []]
        chosen = _chosen(hub, names)

        def fetched(one: tuple[str, str]) -> Source:
            name, split = one
            path = Path(hf_hub_download(hub.repo, name, repo_type="dataset", revision=facts.sha))
            return Source(path, split, name.partition("/")[0].removesuffix(".csv"))  # the configuration

        with ThreadPoolExecutor(_AT_ONCE) as downloads:  # some data sets are a file an item
            files = list(downloads.map(fetched, chosen))
    except InputError:
        raise
    except Exception as error:  # the library lets its HTTP client's errors through, whatever that is today
        raise InputError(
            f"the data set {hub.repo} cannot be fetched", why=_why(error), fix=_fix(hub, error)
        ) from error
    data = read_sources(files, hub.repo, rows_key, expected)
    return Fetched(data, f"hub:{hub.repo}@{facts.sha}")


def _chosen(hub: Hub, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return (file, split) pairs to read; raises `InputError` where a split has none."""
    found: list[tuple[str, str]] = []
    patterns = hub.files or {split: f"{hub.config}/{split}/*.parquet" for split in hub.splits}
    for split, pattern in patterns.items():
        matching = sorted(name for name in names if fnmatch.fnmatchcase(name, pattern))
        if not matching:
            raise InputError(
                f"the data set {hub.repo} has no file {pattern}",
                why="its layout on the hub is another one now",
                fix="download it yourself and pass it with --data FILE",
            )
        found += [(name, split) for name in matching]
    return found


def _why(error: Exception) -> str:
    first = str(error).strip().splitlines()
    return f"{type(error).__name__}: {first[0][:200]}" if first else type(error).__name__


def _fix(hub: Hub, error: Exception) -> str:
    if hub.gated or "Gated" in type(error).__name__:
        return "accept its terms on the hub, then set HF_TOKEN; or pass the data with --data FILE"
    return "see that the hub can be reached, or pass the data with --data FILE"
