"""Resource types of Ironic."""
