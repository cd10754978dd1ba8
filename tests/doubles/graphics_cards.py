"""Graphics cards that are not NVIDIA's, and processes that have them open, as Linux shows both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.powercap import public_directory
from joulemark.meters import process_tree
from joulemark.meters.sysfs import SYS_VARIABLE

CARD, OTHER = "0000:03:00.0", "0000:83:00.0"
ENGINE, CHILD = 500, 501
MODEL_KIB = 4 << 20  # 4 GiB


class FakeMachine:
    """A process file system and the class directories of graphics devices and of ROCm."""

    def __init__(self, directory: Path) -> None:
        self.proc, self.sys = directory / "proc", directory / "class"
        self.proc.mkdir()
        (self.sys / "drm").mkdir(parents=True)
        self._fd = 3

    def process(self, pid: int, parent: int = 1, name: str = "llama-server") -> None:
        place = self.proc / str(pid)
        for part in ("fd", "fdinfo"):
            (place / part).mkdir(parents=True)
        rest = " ".join(["0"] * 40)
        (place / "stat").write_text(f"{pid} ({name}) S {parent} {rest}\n")

    def opens(self, pid: int, target: str, *lines: str) -> None:
        self._fd += 1
        place = self.proc / str(pid)
        (place / "fd" / str(self._fd)).symlink_to(target)
        (place / "fdinfo" / str(self._fd)).write_text("pos:\t0\nflags:\t02100002\n" + "\n".join(lines) + "\n")

    def card(self, node: str, address: str, **files: object) -> Path:
        device = self.sys.parent / "devices" / "pci0000:00" / address
        device.mkdir(parents=True, exist_ok=True)
        for file, value in files.items():
            (device / file).write_text(f"{value}\n")
        (self.sys / "drm" / node).mkdir()
        (self.sys / "drm" / node / "device").symlink_to(device)
        return device

    def rocm_gpu(self, node: int, gpu_id: int, location: int) -> None:
        place = self.sys / "kfd" / "kfd" / "topology" / "nodes" / str(node)
        place.mkdir(parents=True)
        (self.sys / "kfd" / "kfd" / "proc").mkdir(exist_ok=True)
        (place / "gpu_id").write_text(f"{gpu_id}\n")
        (place / "properties").write_text(f"cpu_cores_count 0\nlocation_id {location}\ndomain 0\n")

    def rocm_process(self, pid: int, vram: dict[int, int], queues: tuple[int, ...] = ()) -> None:
        place = self.sys / "kfd" / "kfd" / "proc" / str(pid)
        place.mkdir()
        for gpu_id, used in vram.items():
            (place / f"vram_{gpu_id}").write_text(f"{used}\n")
        for number, gpu_id in enumerate(queues):
            (place / "queues" / str(number)).mkdir(parents=True)
            (place / "queues" / str(number) / "gpuid").write_text(f"{gpu_id}\n")


@contextlib.contextmanager
def graphics_machine() -> Iterator[FakeMachine]:
    """A machine with an engine and its child, in place of this one's process list and devices."""
    with public_directory() as directory, pytest.MonkeyPatch.context() as monkeypatch:
        made = FakeMachine(directory)
        monkeypatch.setattr(process_tree, "PROC", made.proc)
        monkeypatch.setenv(SYS_VARIABLE, str(directory))
        made.process(ENGINE)
        made.process(CHILD, parent=ENGINE)
        yield made


def amdgpu(address: str = CARD, vram_kib: int = 0, *more: str) -> tuple[str, ...]:
    client = "drm-client-id:\t42"
    return (
        "drm-driver:\tamdgpu",
        f"drm-pdev:\t{address}",
        client,
        f"drm-memory-vram:\t{vram_kib} KiB",
        *more,
    )
