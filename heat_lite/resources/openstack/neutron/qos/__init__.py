"""Resource types of the QoS extension."""
