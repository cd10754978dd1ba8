"""How it is asked: when requests are sent, and how long they are."""
