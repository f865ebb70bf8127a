"""The Keystones that validate EC2 signatures: groups [ec2authtoken] and [ec2authtoken.NAME]."""

import dataclasses
import logging

import requests
from keystoneauth1 import adapter as ks_adapter, exceptions
from oslo_config import cfg

from heat_lite.api.aws import faults
from heat_lite.api.middleware.context import auth_url_of
from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.conf import identity as options

LOG = logging.getLogger(__name__)
GROUP = 'ec2authtoken'
#: the login of the service, which files without one for signatures have
SERVICE = 'keystone_authtoken'
TIMEOUT = 30
#: options that select an endpoint of the service catalog
CATALOG_OPTIONS = (
    'interface',
    'max_version',
    'min_version',
    'region_name',
    'service_name',
    'service_type',
    'valid_interfaces',
    'version',
)
REJECTIONS = (
    exceptions.Unauthorized,
    exceptions.Forbidden,
    exceptions.NotFound,
    exceptions.BadRequest,
)


@dataclasses.dataclass
class Keystone:
    """A Keystone and the login of the service user, as it validates for service users only.

    ``configured_url``: with its version; None: the endpoint of the service catalog.
    ``auth_url`` is the one that a requester belongs to, None: that of the service.
    """

    adapter: ks_adapter.Adapter
    configured_url: str | None
    auth_url: str | None = None

    @property
    def url(self) -> str:
        """The URL with its version. Raises ClientException if the catalog has no endpoint."""
        if self.configured_url is None:
            found = self.adapter.get_endpoint()
            if found is None:
                raise exceptions.EndpointNotFound()
            self.configured_url = options.versioned(found)
        return self.configured_url

    def validate(self, credentials: Values) -> tuple[Values, str | None]:
        """Return the token and its id. Raises Fault for a wrong signature, or without Keystone."""
        try:
            response = self._ask(credentials)
        except REJECTIONS as error:
            LOG.info('Keystone rejected access key %s: %s', credentials['access'], error)
            raise faults.denied() from None
        except exceptions.RequestEntityTooLarge:
            raise faults.fault(
                'RequestLimitExceeded',
                'Keystone refuses to verify a signature of version 2 over so many parameters: sign '
                'with version 4, or give a long template by its TemplateURL',
            ) from None
        except exceptions.ClientException as error:
            raise faults.Fault(
                503, 'ServiceUnavailable', f'Keystone cannot be reached: {type(error).__name__}'
            ) from error
        return response.json()['token'], response.headers.get('X-Subject-Token')

    def _ask(self, credentials: Values) -> requests.Response:
        """Return the response of Keystone to a signature.

        A 403 is about the login of the service, not the key (401). Keystone 30 was seen to give one
        by chance, with that of a parallel request, so it is asked twice.
        """
        try:
            return self._post(credentials)
        except exceptions.Forbidden:
            return self._post(credentials)

    def _post(self, credentials: Values) -> requests.Response:
        return self.adapter.post(
            f'{self.url}/ec2tokens',
            json={'ec2Credentials': credentials},
            authenticated=self.adapter.session.auth is not None,
            log=False,
        )


def configured(conf: cfg.ConfigOpts) -> list[Keystone]:
    """Return the Keystones that are asked, in their order: one, unless ``multi_cloud`` is true.

    Raises ConfigurationError for a cloud without a login.
    """
    if not conf[GROUP].multi_cloud:
        return [_read_group(conf, GROUP, conf[GROUP].auth_uri or auth_url_of(conf))]
    if not conf[GROUP].clouds:
        raise exception.ConfigurationError(
            f'[{GROUP}] multi_cloud is true: name at least one cloud in its option clouds'
        )
    found = []
    for name in conf[GROUP].clouds:
        keystone = _read_group(conf, f'{GROUP}.{name}', None)
        keystone.auth_url = conf[f'{GROUP}.{name}'].auth_url
        found.append(keystone)
    return found


def _read_group(conf: cfg.ConfigOpts, group: str, auth_uri: str | None) -> Keystone:
    loading = options.register_auth(conf, group)
    loading.register_adapter_conf_options(conf, group)
    values, login = conf[group], group
    if values.valid_interfaces:  # OpenStack-Ansible writes e.g. internalURL
        names = [each.removesuffix('URL') for each in values.valid_interfaces]
        conf.set_override('valid_interfaces', names, group)
    if group == GROUP and not values.auth_type:
        loading.register_auth_conf_options(conf, SERVICE)
        login = SERVICE
    auth = loading.load_auth_from_conf_options(conf, login) if conf[login].auth_type else None
    if auth is None and group != GROUP:
        raise exception.ConfigurationError(
            f'[{group}] has no auth_type: the login of the service in this cloud is needed'
        )
    if login == SERVICE:
        LOG.warning(
            '[%s] has no auth_type: Keystone validates EC2 signatures for services only, so %s. '
            'Set auth_type = password and the login of the service user, as in [%s].',
            group,
            'that of [keystone_authtoken] is used'
            if auth
            else 'signed URLs, e.g. of scaling policies, are refused with 403',
            SERVICE,
        )
    # Timings would be collected without an end, and no code reads them.
    session = loading.load_session_from_conf_options(conf, group, auth=auth, collect_timing=False)
    session.timeout = session.timeout or TIMEOUT
    adapter = loading.load_adapter_from_conf_options(conf, group, session=session, auth=auth)
    adapter.service_type = adapter.service_type or 'identity'
    url = values.endpoint_override or None
    if not url and not (auth and any(values[name] for name in CATALOG_OPTIONS)):
        url = auth_uri or (conf[login].auth_url if auth else '') or ''
    return Keystone(adapter, None if url is None else options.versioned(url))
