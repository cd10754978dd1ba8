"""What every item of a task gave: columns, matrices, and the files that they are read from."""
