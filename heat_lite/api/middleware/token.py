"""Asks Keystone who a token belongs to: keystonemiddleware, with the configuration of the application that is being loaded."""

import webob.exc
from keystonemiddleware import auth_token, opts
from keystonemiddleware.auth_token import _request

from heat_lite.api import configuration
from heat_lite.api.middleware import identity

# the engine asks Keystone for the catalog where it needs one; here it would only be unpacked, packed and looked at by nobody
UNUSED = {'include_service_catalog': False}


class Request(_request._AuthTokenRequest):
    """What keystonemiddleware writes about the one who asks, but for the catalog: that costs a quarter of all, and nobody here reads it."""

    def set_service_catalog_headers(self, auth_ref):
        """Leave it out."""

    def remove_auth_headers(self):
        """Forget what the client said about itself."""
        for key in SAID:
            self.environ.pop(key, None)


SAID = tuple(identity.key(header) for header in Request({})._all_auth_headers())


class TokenFilter(auth_token.AuthProtocol):
    """The library's, but requests and answers pass as they are instead of being taken apart and put together again."""

    def __call__(self, environ, start_response):
        try:
            refusal = self.process_request(Request(environ))
        except webob.exc.HTTPException as error:
            refusal = error
        if refusal is not None:
            return refusal(environ, start_response)

        def start(status, headers, exc_info=None):
            if status.startswith('401'):
                headers = [*headers, *self._reject_auth_headers]
            return start_response(status, headers, exc_info)

        return self._app(environ, start)


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    given = {**({} if shares_cache(conf) else UNUSED), **local_conf, 'oslo_config_config': conf}
    return lambda application: TokenFilter(application, given)


def shares_cache(conf):
    """Whether what is known of a token is kept where other services find it: they would take a token without a catalog for all that
    there is, and could do nothing for its user."""
    for group, options in opts.list_auth_token_opts():
        conf.register_opts([each for each in options if each.name == 'memcached_servers'], group=group)
    return bool(conf.keystone_authtoken.memcached_servers)
