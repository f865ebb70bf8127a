"""OS::Nova::Server, one module per concern."""
