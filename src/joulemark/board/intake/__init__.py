"""From bytes that somebody sent to a stored submission, and what happens to it afterwards."""
