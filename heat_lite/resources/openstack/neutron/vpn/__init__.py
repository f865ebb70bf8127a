"""Resource types of the VPN service."""
