"""What the command line shows: tables, trees, graphs, progress."""
