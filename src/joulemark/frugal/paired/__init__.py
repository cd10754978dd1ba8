"""Which of two models is better, decided while items still come in: tests that hold at every look."""
