"""Fault injection: what must hold after engines crash, stop or lose their connections."""
