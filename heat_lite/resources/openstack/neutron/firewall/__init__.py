"""Resource types of the firewall service."""
