"""heat_lite: an orchestration service that speaks OpenStack Heat's language."""
