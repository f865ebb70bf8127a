"""Maintenance of the database and of resource types."""
