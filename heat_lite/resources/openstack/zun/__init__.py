"""Resource types of Zun."""
