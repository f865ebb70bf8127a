"""``heat-lite-manage config_check``: what the options of configuration files mean here."""
