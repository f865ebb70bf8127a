"""Asks Keystone who a token belongs to: keystonemiddleware, with the configuration of the application that is being loaded."""

from keystonemiddleware import auth_token

from heat_lite.api import configuration


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    return lambda application: auth_token.AuthProtocol(application, {**local_conf, 'oslo_config_config': conf})
