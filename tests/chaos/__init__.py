"""Engines that die, stop and are cut off: what must hold afterwards, whatever the moment was."""
