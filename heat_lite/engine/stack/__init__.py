"""A stack: its definition, its rows, its actions."""
