"""The commands under the names of Heat."""
