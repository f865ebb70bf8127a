"""Files of the deployers of Heat, unmodified: what they render starts this service."""
