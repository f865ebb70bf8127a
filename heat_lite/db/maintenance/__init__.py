"""Backup, purge, new keys and checks of the database."""
