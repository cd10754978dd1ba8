"""Where a board keeps what it was given: tables, connections, migrations."""
