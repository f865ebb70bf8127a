"""Administration of a database of Heat."""
