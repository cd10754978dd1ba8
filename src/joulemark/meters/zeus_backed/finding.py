"""What discovery says of devices that only Zeus reads; silent on a machine that has none of them."""

from __future__ import annotations

from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.meters.zeus_backed.channel import Channel, LeftOut
from joulemark.meters.zeus_backed.library import NOT_INSTALLED, ZeusMissing, is_installed
from joulemark.meters.zeus_backed.parts import Part, parts_here
from joulemark.meters.zeus_backed.source import CHANNELS

KIND = "zeus"
_MEASURES = {
    Part.AMD: "AMD GPUs: energy counter and power, by Zeus",
    Part.APPLE: "Apple Silicon: energy of processor, graphics, memory and neural engine, by Zeus",
    Part.JETSON: "Jetson: energy of the module and its rails, by Zeus",
    Part.EMI: "Windows: energy of processor packages and their memory, by Zeus",
}
_FROM_REPOSITORY = "pip install 'zeus @ git+https://github.com/ml-energy/zeus'"
_INSTALL = {
    Part.AMD: "pip install 'joulemark[zeus]'",
    Part.APPLE: "pip install 'joulemark[zeus]' 'zeus-apple-silicon>=1.1'",
    Part.JETSON: "pip install 'joulemark[zeus]'",
    Part.EMI: _FROM_REPOSITORY,
}
_NOT_AVAILABLE = {
    Part.AMD: (
        "Zeus cannot load AMD's library (libamd_smi.so), or its version is not that of the package amdsmi",
        "install ROCm's amd-smi-lib; pip install amdsmi==VERSION   # that of: amd-smi version",
    ),
    Part.APPLE: (
        "Zeus sees no Apple counters: zeus-apple-silicon is not installed, or Python runs under Rosetta",
        "pip install 'zeus-apple-silicon>=1.1'; python -c 'import platform; print(platform.processor())'",
    ),
    Part.JETSON: (
        "Zeus does not take this machine for a Jetson (it looks for /etc/nv_tegra_release)",
        "sudo apt install nvidia-l4t-core; in a container: docker run --runtime nvidia",
    ),
    Part.EMI: (
        "Windows shows no energy meter",
        "none on this processor: only AMD's and Intel's newer ones have one, and no virtual machine has",
    ),
}
_SHOW = "python -m zeus.show_env   # shows what Zeus sees"


def find_zeus() -> list[Finding]:
    """Return one finding a channel, or one a part that says why there is none. Prints nothing."""
    findings: list[Finding] = []
    for part in parts_here():
        if not is_installed():
            findings.append(_missing(part, ZeusMissing(NOT_INSTALLED)))
            continue
        try:
            channels = CHANNELS[part]()
        except SourceLost as error:
            findings.append(_missing(part, error))
            continue
        if not channels:
            findings.append(_missing(part, ZeusMissing("no_device")))
        findings.extend(_found(part, channel) for channel in channels)
    return findings


def _found(part: Part, channel: Channel | LeftOut) -> Finding:
    if isinstance(channel, LeftOut):
        return Finding(KIND, channel.name, channel.measures, why=channel.why, fix="nothing has to be done")
    spec = SourceSpec(KIND, {"part": part.value, "channel": channel.key})
    return Finding(KIND, channel.info.name, channel.measures, spec=spec, info=channel.info)


def _missing(part: Part, error: SourceLost) -> Finding:
    reason = str(error)
    detail = error.detail if isinstance(error, ZeusMissing) else ""
    if reason == NOT_INSTALLED:
        why, fix = "the Python package zeus is not installed", _INSTALL[part]
        if part is Part.AMD:
            why += " (keep it out of an environment that holds Ray: its amdsmi breaks Ray's import)"
    elif reason == "not_in_this_release":
        why, fix = "this release of Zeus does not have it", _FROM_REPOSITORY
    elif reason == "not_available":
        why, fix = _NOT_AVAILABLE[part]
    else:
        why, fix = f"Zeus fails: {reason.replace('_', ' ')}", _SHOW
    if detail:
        why += f" ({' '.join(detail.split())[:160]})"
    return Finding(KIND, f"zeus:{part}", _MEASURES[part], why=why, fix=fix)
