"""Double of ``zeus.device.gpu``."""
