"""Results that travel: what other tools published, read into rows of ours."""
