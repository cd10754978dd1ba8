"""What earlier models made of a task: which items to choose by it, and what the answers to them say."""
