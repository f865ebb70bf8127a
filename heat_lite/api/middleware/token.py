"""Asks Keystone who a token belongs to: keystonemiddleware, with the configuration of the application that is being loaded."""

from keystonemiddleware import auth_token, opts

from heat_lite.api import configuration

# the engine asks Keystone for the catalog where it needs one; here it would only be unpacked, packed and looked at by nobody
UNUSED = {'include_service_catalog': False}


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    given = {**({} if shares_cache(conf) else UNUSED), **local_conf, 'oslo_config_config': conf}
    return lambda application: auth_token.AuthProtocol(application, given)


def shares_cache(conf):
    """Whether what is known of a token is kept where other services find it: they would take a token without a catalog for all that
    there is, and could do nothing for its user."""
    for group, options in opts.list_auth_token_opts():
        conf.register_opts([each for each in options if each.name == 'memcached_servers'], group=group)
    return bool(conf.keystone_authtoken.memcached_servers)
