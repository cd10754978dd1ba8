"""Readers of item outcomes, one a kind of file; `joulemark.frugal.outcome_file` chooses among them."""
