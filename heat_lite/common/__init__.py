"""Shared by all packages: exceptions, request context, identifiers, policy, statuses."""
