"""Filter that creates the RequestContext from the headers of an authentication filter."""

import dataclasses
import re

from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common.context import RequestContext

#: header of requests that an OS::Heat::Stack makes: the number of such resources above it
DEPTH_HEADER = 'HTTP_X_HEAT_LITE_STACK_DEPTH'


@dataclasses.dataclass
class ContextFilter(wsgi.Filter):
    """Filter; ``auth_url``: the Keystone of the token, unless the password filter has set one."""

    auth_url: str | None = None

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        environ[wsgi.CONTEXT] = self._context(environ)
        return self.application

    def _context(self, environ: wsgi.Environ) -> RequestContext:
        # The service sends its own password to the auth_url, so the client must not choose it. No
        # header is read for it; the password filter has validated the value in the environment.
        made = RequestContext.from_environ(
            environ,
            password=environ.get('HTTP_X_AUTH_KEY'),
            auth_url=environ.get(auth_headers.AUTH_URL) or self.auth_url,
            region_name=environ.get('HTTP_X_REGION_NAME'),
            auth_token_info=environ.get(auth_headers.TOKEN_INFO),
        )
        made.stack_depth = _stack_depth(environ)
        return made


def _stack_depth(environ: wsgi.Environ) -> int | None:
    """Return the depth of the header. A client that sends it only lowers its own limit.

    Any other text than a number from 1 to 999 counts as none.
    """
    value = environ.get(DEPTH_HEADER, '')
    return int(value) or None if re.fullmatch('[0-9]{1,3}', value, re.ASCII) else None


def auth_url_of(conf: cfg.ConfigOpts) -> str | None:
    """Return the configured URL of Keystone; None without one."""
    for group, name in (
        ('clients_keystone', 'auth_uri'),
        ('keystone_authtoken', 'www_authenticate_uri'),
    ):
        if group in conf and name in conf[group] and conf[group][name]:
            return conf[group][name]
    return None


@paste_config.make_factory
def filter_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    return lambda application: ContextFilter(application, auth_url_of(conf))
