"""Recorded answers that this service does not give, and why: what is not built yet, and what is different on purpose."""

DIFFERENT: dict[str, str] = {}
