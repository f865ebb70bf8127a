"""Answers recorded from OpenStack Heat 27, and what replays them."""
