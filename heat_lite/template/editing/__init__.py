"""What an editor asks about a template: completion, hover, definition."""
