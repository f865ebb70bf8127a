"""The log-in to a cloud, by the loaders of openstacksdk and keystoneauth.

They read ``clouds.yaml``, the OS_* variables, and all types of credentials. This module is loaded
for a cloud only, since these libraries start slowly.
"""

import logging
import re
import ssl
import warnings
from collections.abc import Mapping

import openstack.config
from keystoneauth1 import exceptions
from openstack.config.cloud_region import CloudRegion

from heat_lite.cli import api_client
from heat_lite.common.value_types import Value, Values

SERVICE = 'orchestration'
#: names of the loader for the OS_* variables, and for no cloud at all
MADE_UP = ('envvars', 'defaults')
#: an error has all that a warning in the log of the library says
logging.getLogger('keystoneauth').addHandler(logging.NullHandler())


def log_in(cloud: str | None, region: str | None, env: dict[str, str]) -> api_client.ApiClient:
    """Return a client of the orchestration service of a cloud. Raises RequestFailed."""
    try:
        with warnings.catch_warnings():
            # The libraries warn about their own future, which no user can change.
            warnings.simplefilter('ignore')
            return _log_in(_load(cloud, region, env))
    except exceptions.HttpError as error:
        raise api_client.RequestFailed(error.http_status or 0, _text(error)) from error
    except exceptions.ConnectFailure as error:
        # The rest of the text names classes of the library requests.
        address = re.sub(r': HTTPS?ConnectionPool.*', '', str(error), flags=re.DOTALL)
        raise api_client.ServiceUnreachable(_text(address)) from error
    except api_client.RequestFailed:
        raise
    except Exception as error:
        # The loaders also raise plain exceptions, e.g. for a missing password.
        raise api_client.RequestFailed(0, _text(error)) from error


def _load(cloud: str | None, region: str | None, env: Mapping[str, str]) -> CloudRegion:
    """Return the configuration of a cloud.

    The loader reads the variables of the process; ``env`` has those that choose the cloud.
    """
    loader = openstack.config.OpenStackConfig(app_name='heat-lite')
    cloud = cloud or env.get('OS_CLOUD') or None
    options: Values = {'auth_type': 'token'} if not cloud and _has_only_a_token(env) else {}
    known = [each for each in loader.get_cloud_names() if each not in MADE_UP]
    if cloud and cloud not in (*known, *MADE_UP):
        place = f'clouds.yaml, only {", ".join(sorted(known))}' if known else 'a clouds.yaml'
        raise ValueError(f'Cloud {cloud} was not found in {place}')
    return loader.get_one(cloud=cloud, region_name=region, **options)


def _has_only_a_token(env: Mapping[str, str]) -> bool:
    """Whether the log-in is a token: the loader takes any for one by password."""
    others = ('OS_AUTH_TYPE', 'OS_PASSWORD', 'OS_APPLICATION_CREDENTIAL_ID')
    return bool(env.get('OS_TOKEN')) and not any(env.get(name) for name in others)


def _log_in(config: CloudRegion) -> api_client.ApiClient:
    session: Value = config.get_session()
    token = session.get_token()
    endpoint = config.get_session_endpoint(SERVICE)
    if not endpoint:
        region = config.get_region_name(SERVICE)
        raise api_client.RequestFailed(
            0,
            'the catalog has no orchestration service' + (f' in region {region}' if region else ''),
        )

    def renew() -> str:
        session.invalidate()
        return session.get_token()

    client = api_client.ApiClient(endpoint, token, renew, _tls(config))
    client.cloud = config
    return client


def _tls(config: CloudRegion) -> ssl.SSLContext | None:
    """Return the TLS settings of a cloud: its authority, its certificate, or no verification."""
    verify, certificate = config.get_requests_verify_args()
    context = ssl.create_default_context(cafile=verify if isinstance(verify, str) else None)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate:
        context.load_cert_chain(*([certificate] if isinstance(certificate, str) else certificate))
    return context


def _text(error: object) -> str:
    return f'cannot log in to the cloud: {" ".join(str(error).split())}'
