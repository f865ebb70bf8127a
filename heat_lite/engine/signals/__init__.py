"""Signals: who may send them, and how they are handled."""
