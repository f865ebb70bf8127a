"""Resource types of Neutron."""
