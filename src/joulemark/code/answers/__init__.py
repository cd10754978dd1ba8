"""From what a model answered to a program that can be run; files of answers made elsewhere."""
