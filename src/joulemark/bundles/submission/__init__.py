"""A run packed for others: what leaves this machine of it, how it is signed, sent and verified.

``private`` and ``vocabulary`` say what may leave; ``clean_manifest`` and ``clean_rows`` let nothing else
through; ``pack`` makes a bundle and ``verify`` believes nothing of one. Format: ``docs/submissions.md``.
"""
