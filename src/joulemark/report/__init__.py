"""Reports of a run: terminal and offline HTML."""
