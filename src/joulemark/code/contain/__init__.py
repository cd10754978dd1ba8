"""Containment from the parent's side: what a program may do and take, enforced from outside."""
