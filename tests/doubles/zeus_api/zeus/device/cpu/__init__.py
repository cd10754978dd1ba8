"""Double of ``zeus.device.cpu``."""
