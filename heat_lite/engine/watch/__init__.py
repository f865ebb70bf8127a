"""Watch rules: their data, their states and their actions."""
