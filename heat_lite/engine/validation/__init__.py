"""Validation of templates, and what of a stack a reader may see."""
