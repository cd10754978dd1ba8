"""The self-test: programs that cheat, crash and flood, each of which has to be graded right."""
