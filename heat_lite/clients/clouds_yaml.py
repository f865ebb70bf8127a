"""The log-in to clouds of clouds.yaml, by the loaders of openstacksdk and keystoneauth.

This module is loaded for a cloud only, since these libraries start slowly.
"""

import datetime
import json
import logging
import os
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import openstack.config
import urllib3.exceptions
from keystoneauth1 import exceptions
from keystoneauth1.identity.base import BaseIdentityPlugin
from oslo_config import cfg

from heat_lite.clients.cloud_login import CloudLogin, Clouds
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.common.local_stack_domain import LocalStackDomain
from heat_lite.common.value_types import Values
from heat_lite.conf.clients import TIMEOUT
from heat_lite.conf.identity import WELL_KNOWN_KEY

LOG = logging.getLogger(__name__)
RETRY_SECONDS = 5
#: services that are names of another one, or of this service
NO_SERVICES = {'heat', 'openstack'}
NO_WAY_IN = (
    'servers cannot reach this service (no --public-url): their signals go through object storage, '
    'where a cloud has it; signed URLs work on this machine only'
)
#: names of openstacksdk's loader for the OS_* variables, and for no cloud at all
MADE_UP = {'envvars', 'defaults'}
WRITING_ROLES = {'member', 'admin', 'manager'}


class LoginError(Exception):
    """A cloud cannot be used. The text names the cloud and the reason."""


def log_in(name: str, patient: bool = False) -> CloudLogin:
    """Log in to a cloud of clouds.yaml. Raises LoginError.

    ``patient``: wait as long as the cloud does not respond, e.g. when a crashed service is
    replaced.
    """
    while True:
        try:
            with warnings.catch_warnings():
                # The libraries warn about their own future, which no user can change, and about
                # what the error says, too.
                warnings.simplefilter('ignore')
                logging.getLogger('keystoneauth.identity').setLevel(logging.ERROR)
                return _log_in(name)
        except exceptions.SSLError as error:
            raise LoginError(f'cloud "{name}" cannot be reached: {_tls_text(error)}') from error
        except exceptions.ConnectionError as error:
            if not patient:
                raise LoginError(f'cloud "{name}" cannot be reached: {_text(error)}') from error
            LOG.warning('Cloud %s cannot be reached, the login is retried: %s', name, _text(error))
            time.sleep(RETRY_SECONDS)
        except exceptions.Unauthorized as error:
            raise LoginError(
                f'cloud "{name}" refuses the login of clouds.yaml: {_text(error)}. '
                'Check user name, password, project and domains, or the application credential'
            ) from error
        except LoginError:
            raise
        except Exception as error:
            # The loaders also raise plain exceptions, e.g. for a missing password.
            raise LoginError(f'no login to cloud "{name}": {_text(error)}') from error


def connect(
    conf: cfg.ConfigOpts,
    names: Sequence[str],
    url: str,
    public_url: str | None = None,
    patient: bool = False,
) -> Clouds:
    """Log in to clouds. Raises LoginError.

    ``url``: that of this service on its machine; ``public_url``: that for servers of the clouds.
    """
    logins = {name: log_in(name, patient) for name in dict.fromkeys(names)}
    # The start says once that a cloud has ``verify: false``, the library at each request.
    warnings.simplefilter('ignore', urllib3.exceptions.InsecureRequestWarning)
    public = (public_url or '').rstrip('/')
    if public:
        conf.set_override('url', f'{public}/v1/%(tenant_id)s', group='clients_heat')
        conf.set_override('heat_waitcondition_server_url', f'{public}/v1/waitcondition')
    former = (key for key in conf.heat_lite.former_encryption_keys if key != WELL_KNOWN_KEY)
    domain = LocalStackDomain([conf.auth_encryption_key, *former])
    return Clouds(logins, domain, public or url, bool(public))


def _log_in(name: str) -> CloudLogin:
    if '/' in name or not name.isprintable():
        raise LoginError(f'"{name}" cannot be part of a URL; rename the cloud in clouds.yaml')
    config = _load(name)
    session = config.get_session()
    session.timeout = session.timeout or TIMEOUT
    if not isinstance(session.auth, BaseIdentityPlugin):
        raise LoginError(
            f'the auth_type of cloud "{name}" gives no catalog of services; use a password, an '
            'application credential or a token of Keystone'
        )
    known: Any = session.auth.get_access(session)
    if not known.project_scoped:
        raise LoginError(
            f'the login of cloud "{name}" names no project; set project_name and '
            'project_domain_name in clouds.yaml'
        )
    login = CloudLogin(name, session, config, known.user_id, known.username, known.project_id)
    services = login.find_services()
    if not services - {'keystone'}:
        raise LoginError(
            f'the catalog of cloud "{name}" has no service '
            f'in region {login.region or "(any)"}; check region_name and interface in clouds.yaml'
        )
    return CloudLogin(**{**vars(login), 'services': services})


def _load(name: str) -> Any:
    """Return the configuration of a cloud. OS_CACERT serves for clouds without a ``cacert``."""
    loader = openstack.config.OpenStackConfig(app_name='heat-lite')
    known = sorted({*loader.get_cloud_names()} - MADE_UP)
    if name not in (*known, *MADE_UP):
        found = f'clouds.yaml has: {", ".join(known)}' if known else 'there is no clouds.yaml'
        raise LoginError(f'cloud "{name}" was not found; {found}')
    authority = os.environ.get('OS_CACERT')
    config = loader.get_one(cloud=name)
    if authority and not config.config.get('cacert'):
        config = loader.get_one(cloud=name, cacert=authority)
    return config


def describe(clouds: Clouds) -> list[str]:
    """Return lines about the logins: their identities, and what they may not do."""
    lines = [line for login in clouds.logins.values() for line in _describe(login)]
    return lines if clouds.reachable else [*lines, NO_WAY_IN]


def _describe(login: CloudLogin) -> list[str]:
    auth: Any = login.session.auth
    token = json.loads(auth.get_auth_state())['body']['token']
    where = f'region {login.region}' if login.region else 'no region set'
    interface = login.adapter_options('compute')['interface']
    lines = [
        f'cloud {login.name}: user {login.user_name}, project '
        f'{token["project"]["name"]}, {where}, {interface} endpoints'
    ]
    missing = sorted(SERVICES.keys() - login.services - NO_SERVICES)
    if missing:
        lines.append(f'not in its catalog, so their types are unavailable: {", ".join(missing)}')
    return [lines[0], *(f'  {line}' for line in [*lines[1:], *_limits(login, token)])]


def _limits(login: CloudLogin, token: Values) -> Iterator[str]:
    """Yield what the login may not do."""
    if login.session.verify is False:
        yield (
            'certificates are not verified (verify: false): others can read and change the requests'
        )
    roles = {role['name'] for role in token.get('roles', ())}
    if not roles & WRITING_ROLES:
        yield f'the roles of the login ({", ".join(sorted(roles))}) may not permit changes'
    credential = token.get('application_credential') or {}
    if credential.get('restricted'):
        yield (
            'the application credential is restricted: no trusts, which OS::Mistral::CronTrigger '
            'and alarms with trust+http actions need'
        )
    if credential.get('access_rules'):
        yield f'its {len(credential["access_rules"])} access rules limit the requests'
    if 'token' in token.get('methods', ()):
        yield f'the login is a token: work stops when it expires, {_time(token)}'


def _time(token: Values) -> str:
    return datetime.datetime.fromisoformat(token['expires_at']).strftime('%Y-%m-%d %H:%M %Z')


def _tls_text(error: Exception) -> str:
    """Return the reason of a failed handshake, and the setting that has to do with it."""
    found = re.search(r"certificate verify failed: ([^('\"]+)", str(_root_cause(error)))
    if found is None:
        return _text(error)
    return (
        f'{_text(error)}: the certificate is not trusted ({found[1].strip()}); set cacert of the '
        'cloud in clouds.yaml, or OS_CACERT, to the file of its authority'
    )


def _root_cause(error: BaseException) -> BaseException:
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _text(error: Exception) -> str:
    """Return the message of an error, without request ids and the objects of libraries."""
    text = ' '.join((getattr(error, 'message', None) or str(error)).split())
    return re.split(r' \(HTTP|: HTTP', text)[0].rstrip('.')
