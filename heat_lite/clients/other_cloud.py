"""The orchestration service of another cloud, for OS::Heat::Stack with its own login.

The login is a secret of Barbican that the user has stored, in Heat's form::

    {"auth_type": "v3applicationcredential", "auth": {"auth_url": ..., ...}}

A user chooses the URLs, so addresses are refused as those of templates (see ``urlfetch``), and each
connection goes to the address that was checked.

Tests: tests/unit/clients/test_other_cloud.py.
"""

import json
import ssl
import tempfile
import uuid
import weakref
from pathlib import Path
from typing import Any

import requests
from keystoneauth1 import adapter, exceptions, loading, session as ks_session
from requests import adapters
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from heat_lite.clients import errors, keystone_session, rest
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.common import exception, urlfetch
from heat_lite.common.value_types import Values
from heat_lite.conf.clients import TIMEOUT

#: the kinds of logins; others read files, or ask further services
AUTH_TYPES = ('password', 'v3password', 'token', 'v3token', 'v3applicationcredential')


def client(clients: Any, location: Values) -> rest.Api:
    """Return the orchestration service at the ``context`` of an OS::Heat::Stack.

    ``clients`` are the Clients of the requester. Raises NoCloud if there is no such service,
    Invalid for a login or a certificate with a mistake, Unauthorized and Unavailable.
    """
    ca_cert, insecure = location.get('ca_cert'), bool(location.get('insecure'))
    secret_id = location.get('credential_secret_id')
    if secret_id:
        login = read_login(clients.client('barbican'), secret_id)
        return orchestration(login, location.get('region_name'), ca_cert, insecure)
    if not ca_cert and not insecure:
        return clients.client('heat')
    return clients.client_by('heat', _session(clients.session('heat').auth, ca_cert, insecure))


def _session(
    auth: Any, ca_cert: str | None, insecure: bool, connections: requests.Session | None = None
) -> ks_session.Session:
    """Return a session that trusts ``ca_cert``, or all certificates if ``insecure``.

    Raises Invalid for a text that is no certificate in PEM format.
    """
    session = ks_session.Session(
        auth=auth,
        verify=not insecure,
        timeout=TIMEOUT,
        session=connections,
        user_agent=keystone_session.USER_AGENT,
    )
    if ca_cert and not insecure:
        _check_certificate(ca_cert)
        with tempfile.NamedTemporaryFile('w', suffix='.pem', delete=False) as file:
            file.write(ca_cert)
        # the session reads the file at each new connection
        weakref.finalize(session, Path(file.name).unlink, missing_ok=True)
        session.verify = file.name
    return session


def _check_certificate(text: str) -> None:
    """Raise Invalid for a text that is no certificate in PEM format."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        reason = 'ca_cert must be a certificate in PEM format'
        raise exception.Invalid(reason=reason) from None


def read_login(barbican: rest.Api, secret_id: str) -> Values:
    """Return the login of a secret: ``auth_type`` and ``auth``. Raises Invalid."""
    try:
        path = f'/secrets/{uuid.UUID(secret_id)}/payload'
    except ValueError:
        reason = f'credential_secret_id must be the UUID of a secret, not "{secret_id:.80}"'
        raise exception.Invalid(reason=reason) from None
    try:
        headers = {'Accept': 'text/plain'}
        login = json.loads(barbican.request('GET', path, headers=headers).content)
    except ValueError:
        login = None
    if not isinstance(login, dict) or not isinstance(login.get('auth'), dict):
        raise exception.Invalid(
            reason=f'the secret {secret_id} must be JSON with "auth_type" and the map "auth"'
        )
    if login.get('auth_type') not in AUTH_TYPES:
        raise exception.Invalid(
            reason=f'the "auth_type" of the secret {secret_id} must be one of '
            f'{", ".join(AUTH_TYPES)}'
        )
    return login


def orchestration(
    login: Values, region: str | None, ca_cert: str | None = None, insecure: bool = False
) -> rest.Api:
    """Return the client of the orchestration service that a login finds (see ``client``)."""
    service = SERVICES['heat']
    session = _session(_auth(login), ca_cert, insecure, _checked_connections())
    found = adapter.Adapter(
        session, service_type=service.type, interface='public', region_name=region
    )
    endpoint = _endpoint(found)
    if endpoint is None:
        raise errors.NoCloud(reason=f'the other cloud has no {service.type} endpoint')
    found.endpoint_override = service.url(endpoint)
    return rest.Api('heat', rest.UnloggedAdapter(found))


def _auth(login: Values) -> Any:
    loader: Any = loading.get_plugin_loader(login['auth_type'])
    known = {option.dest for option in loader.get_options()}
    unknown = sorted(set(login['auth']) - known)
    if unknown:
        reason = f'the login of the other cloud has unknown options: {", ".join(unknown):.200}'
        raise exception.Invalid(reason=reason)
    try:
        return loader.load_from_options(**login['auth'])
    except (exceptions.ClientException, TypeError) as error:
        raise exception.Invalid(reason=f'the login of the other cloud: {error}') from error


def _endpoint(found: adapter.Adapter) -> str | None:
    try:
        return found.get_endpoint()
    except exceptions.ConnectionError as error:
        raise errors.unavailable('keystone', 'POST', '/auth/tokens', error) from error
    except (exceptions.CatalogException, exceptions.EndpointNotFound, ValueError):
        return None
    except exceptions.ClientException as error:
        raise errors.Unauthorized(f'the other cloud rejected the login: {error}') from error


# --------------------------------------------------------------- checked addresses


def _checked_connections() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    for scheme in ('http://', 'https://'):
        session.mount(scheme, _CheckedAdapter())
    return session


class _CheckedConnection(HTTPConnection):
    def _new_conn(self) -> Any:
        self._dns_host = urlfetch.checked_address(self.host, self.port)
        return super()._new_conn()


class _CheckedTlsConnection(_CheckedConnection, HTTPSConnection):
    """The same with TLS."""


class _CheckedPool(HTTPConnectionPool):
    ConnectionCls = _CheckedConnection


class _CheckedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _CheckedTlsConnection


class _CheckedAdapter(adapters.HTTPAdapter):
    """Connects to the addresses that were checked; the certificate is that of the name."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        names = ('num_pools', 'maxsize', 'block')
        manager = PoolManager(**dict(zip(names, args, strict=False)), **options)
        manager.pool_classes_by_scheme = {'http': _CheckedPool, 'https': _CheckedTlsPool}
        self.poolmanager = manager
