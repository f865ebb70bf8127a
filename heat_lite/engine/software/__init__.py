"""Software configurations and deployments."""
