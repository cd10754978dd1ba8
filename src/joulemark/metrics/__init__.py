"""Pure figures of a run: nothing here opens a file, a socket or a clock."""
