"""How few questions are enough: the published cut-off, the sample a target needs, rules that stop a run."""
