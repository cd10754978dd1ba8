"""Engines that are started here: from settings in our names to command lines, processes and an `Engine`."""
