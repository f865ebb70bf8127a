"""A resource: its type, its record, its failures."""
