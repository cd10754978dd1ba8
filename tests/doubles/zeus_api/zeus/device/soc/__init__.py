"""Double of ``zeus.device.soc``."""
