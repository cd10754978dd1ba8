"""Double of ``zeus.device``."""
