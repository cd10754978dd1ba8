"""Generated code: problems, containment, grading and measurement of programs that a model wrote."""
