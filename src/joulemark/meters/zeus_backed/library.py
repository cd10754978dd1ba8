"""The door to Zeus: device objects, made once a process, and names for its errors.

Zeus fails in the words of the libraries below it (``amdsmi`` alone raises ImportError, OSError,
AttributeError and KeyError at import, and prints). All of that ends here: a device object comes out, or a
`ZeusMissing` that says why.
"""

from __future__ import annotations

import contextlib
import io
import os
import queue
import re
import threading
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from joulemark.meters.source import SourceLost
from joulemark.meters.zeus_backed.parts import Part

NOT_INSTALLED = "zeus_not_installed"
_MODULES = {
    Part.AMD: "zeus.device.gpu.amd",
    Part.APPLE: "zeus.device.soc.apple",
    Part.JETSON: "zeus.device.soc.jetson",
    Part.EMI: "zeus.device.cpu.emi",
}
_AVAILABLE = {
    Part.AMD: "amdsmi_is_available",
    Part.APPLE: "apple_silicon_is_available",
    Part.JETSON: "jetson_is_available",
    Part.EMI: "emi_is_available",
}
_CLASSES = {
    Part.AMD: "AMDGPUs",
    Part.APPLE: "AppleSilicon",
    Part.JETSON: "Jetson",
    Part.EMI: "EMICPUs",
}
_MASKS = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


class ZeusMissing(SourceLost):
    """Zeus does not give the device: the message is the reason, ``detail`` what Zeus said."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail


_lock = threading.Lock()
_devices: dict[Part, Any] = {}


def is_installed() -> bool:
    """Tell whether Zeus is there, without importing it."""
    with contextlib.suppress(ImportError, ValueError):
        return find_spec("zeus") is not None
    return False


def module_of(part: Part) -> Any:
    """Return Zeus's module of a part; raises `ZeusMissing`."""
    if not is_installed():
        raise ZeusMissing(NOT_INSTALLED)
    try:
        with _silent():
            return import_module(_MODULES[part])
    except Exception as error:
        lacks = isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("zeus.")
        reason = "not_in_this_release" if lacks else "import_failed"
        raise ZeusMissing(reason, f"{type(error).__name__}: {error}") from error


def device_of(part: Part) -> Any:
    """Return Zeus's device object of a part, the same one for the life of the process.

    AMD's shuts the driver's library down when it is dropped, and a Jetson's counts from zero when made anew:
    a second one is never made while the first is of use. Raises `ZeusMissing`.
    """
    with _lock:
        if part not in _devices:
            _devices[part] = _make(part)
        return _devices[part]


def forget(part: Part) -> None:
    """Let the next `device_of` make a new object, where the old one can be replaced without harm."""
    with _lock:
        device = _devices.get(part)
        process = getattr(device, "process", None)
        replaceable = part in (Part.APPLE, Part.EMI) or (process is not None and not process.is_alive())
        if device is not None and replaceable:
            del _devices[part]


def reason_of(error: Exception) -> str:
    """Return a snake-case name for an error of Zeus: ``ZeusGPUNotSupportedError`` is ``not_supported``."""
    if isinstance(error, queue.Empty):
        return "timeout"
    name = re.sub(r"^Zeus(GPU|CPU|SoC)?|Error$", "", type(error).__name__) or type(error).__name__
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _make(part: Part) -> Any:
    module = module_of(part)
    try:
        with _silent():
            if not getattr(module, _AVAILABLE[part])():
                raise ZeusMissing("not_available")
            with _unmasked():
                return getattr(module, _CLASSES[part])()
    except ZeusMissing:
        raise
    except Exception as error:
        raise ZeusMissing(reason_of(error), f"{type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what libraries print at import away from the terminal."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def _unmasked() -> Iterator[None]:
    """Let Zeus see every GPU: it hides those that a mask hides, and dies of a mask that names a UUID.

    Boards are told apart by their PCI address here, which no mask changes.
    """
    masks = {name: os.environ.pop(name) for name in _MASKS if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(masks)
