"""Resource types of OpenStack, one folder per service."""
