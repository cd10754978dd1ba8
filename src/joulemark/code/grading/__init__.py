"""Right or wrong: decided in this process, on plain data, never by the program that is judged."""
