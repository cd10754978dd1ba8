"""How many items a target needs, what they cost, and how several tasks share them."""
