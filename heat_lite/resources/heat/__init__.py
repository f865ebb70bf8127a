"""Resource types that are implemented by the orchestration service itself."""
