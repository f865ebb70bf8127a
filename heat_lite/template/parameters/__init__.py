"""Parameters of a template: their schemas, groups, types and values."""
