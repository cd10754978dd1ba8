"""Plan, execute, journal, record, resume."""
