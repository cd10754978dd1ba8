"""What is to be programmed: one format, the built-in set, importers."""
