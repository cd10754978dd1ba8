"""The errors of Zeus's GPUs."""


class ZeusGPUNotSupportedError(Exception):
    pass


class ZeusGPUTimeoutError(Exception):
    pass


class ZeusGPUDriverNotLoadedError(Exception):
    pass


class ZeusGPUInitError(Exception):
    pass
