"""Resource types of Tap as a Service."""
