"""What runs inside the containment: the standard library only, and nothing worth reading for a program."""
