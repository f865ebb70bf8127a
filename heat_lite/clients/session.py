"""Sessions of keystoneauth: how to reach Keystone, and as whom. Options are read here, once."""

import contextlib

from keystoneauth1 import session as ks_session
from keystoneauth1.identity import v3
from oslo_config import cfg

from heat_lite.conf import identity

TIMEOUT = 60


def auth_url(conf):
    """The Keystone that users are told of, with its version; None where there is none: then nobody has to log in anywhere."""
    url = conf.clients_keystone.auth_uri or _authtoken(conf).www_authenticate_uri or _trustee(conf).auth_url
    return url and f'{url.rstrip("/").removesuffix("/v3").removesuffix("/v2.0")}/v3'


def domain_admin(conf):
    """The session of the user that manages the users of stacks; None where no domain is configured."""
    domain = conf.stack_user_domain_id or conf.stack_user_domain_name
    if not domain or not conf.stack_domain_admin:
        return None
    by_id = {'user_domain_id': conf.stack_user_domain_id, 'domain_id': conf.stack_user_domain_id}
    by_name = {'user_domain_name': conf.stack_user_domain_name, 'domain_name': conf.stack_user_domain_name}
    named = by_id if conf.stack_user_domain_id else by_name
    login = v3.Password(auth_url(conf), username=conf.stack_domain_admin, password=conf.stack_domain_admin_password, **named)
    return plain(conf, login)


def plain(conf, login=None):
    """A session with the certificates that are configured for Keystone."""
    own, common = conf.clients_keystone, conf.clients

    def option(name):
        return getattr(common, name) if getattr(own, name) is None else getattr(own, name)

    verify = not option('insecure') and (option('ca_file') or True)
    cert = (option('cert_file'), option('key_file')) if option('cert_file') and option('key_file') else option('cert_file')
    return ks_session.Session(auth=login, verify=verify, cert=cert, timeout=TIMEOUT)


def _authtoken(conf):
    """What the API has to check tokens says where Keystone is, too."""
    with contextlib.suppress(cfg.DuplicateOptError):
        conf.register_opt(cfg.StrOpt('www_authenticate_uri'), group='keystone_authtoken')
    return conf.keystone_authtoken


def _trustee(conf):
    loading = identity.register_auth(conf, 'trustee')
    conf.register_opts(loading.get_auth_plugin_conf_options('password'), group='trustee')
    return conf.trustee
