"""Evaluation of generated code on request: a queue, a worker of its own, results."""
