"""What a program takes: CPU time and memory, seen from outside, in fresh processes."""
