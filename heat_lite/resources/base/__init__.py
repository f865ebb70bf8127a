"""Base classes and helpers that several resource types share."""
