"""The commands of operators: set-up, administration, backup, take-over."""
