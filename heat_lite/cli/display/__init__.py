"""What the command line shows: tables, trees, progress."""
