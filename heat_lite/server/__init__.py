"""The processes that serve: listening, supervision, watchdog, monitoring."""
