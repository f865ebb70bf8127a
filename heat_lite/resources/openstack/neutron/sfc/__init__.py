"""Resource types of service function chaining."""
