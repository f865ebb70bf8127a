"""The policy: the default rules, and decisions by them."""
