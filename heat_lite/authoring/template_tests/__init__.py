"""``heat-lite test``: tests of templates, without a service."""
