"""Readers of item outcomes, one a kind of file; `frugal.outcomes.outcome_file` chooses among them."""
