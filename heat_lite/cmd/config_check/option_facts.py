"""Options of Heat and of libraries that have no effect here, or another one: tables.

The options of this project without an effect say so in their help texts.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

#: namespaces of the libraries whose options the programs read
LIBRARIES = (
    'keystonemiddleware.auth_token',
    'oslo.db',
    'oslo.log',
    'oslo.messaging',
    'oslo.middleware.cors',
    'oslo.middleware.http_proxy_to_wsgi',
    'oslo.policy',
)
#: groups with the login of a user of the service
LOGINS = ('ec2authtoken', 'keystone_authtoken', 'trustee')

NOT_LOADED = 'the library is not used here.'
UNUSED_GROUPS = {
    'cache': 'each process caches in its own memory.',
    'ec2authtoken.': 'the Keystone of the service checks all signatures.',
    'healthcheck': 'the health check of the pipeline takes its options from api-paste.ini.',
    'oslo_concurrency': 'there are no locks between processes in files.',
    'oslo_middleware_tracing': NOT_LOADED,
    'oslo_reports': NOT_LOADED,
    'oslo_versionedobjects': NOT_LOADED,
    'profiler': NOT_LOADED,
    'profiler_jaeger': NOT_LOADED,
    'profiler_otlp': NOT_LOADED,
    'ssl': 'cert_file and key_file of [heat_api] make a server speak HTTPS.',
}
_STATEMENTS = 'statements are not logged, as they contain secrets.'
_ASYNCIO = 'asyncio is not used for the database.'
_RECONNECT = 'connections are made when they are needed, and failed statements are repeated.'
_CATALOG = 'Keystone is that of endpoint_override, or else of [clients_keystone] auth_uri.'
_ONE_REQUEST = 'the filter sends one request for each signature.'
UNUSED = {
    ('DEFAULT', 'graceful_shutdown_timeout'): 'see graceful_shutdown_timeout of [heat_lite].',
    ('DEFAULT', 'log_options'): 'options are not logged.',
    ('DEFAULT', 'backdoor_port'): NOT_LOADED,
    ('DEFAULT', 'backdoor_socket'): NOT_LOADED,
    ('DEFAULT', 'run_external_periodic_tasks'): NOT_LOADED,
    ('database', 'asyncio_connection'): _ASYNCIO,
    ('database', 'asyncio_slave_connection'): _ASYNCIO,
    ('database', 'backend'): 'there is one backend.',
    ('database', 'connection_debug'): _STATEMENTS,
    ('database', 'connection_trace'): _STATEMENTS,
    ('database', 'max_retries'): _RECONNECT,
    ('database', 'retry_interval'): _RECONNECT,
    ('oslo_middleware', 'http_basic_auth_user_file'): NOT_LOADED,
    ('oslo_middleware', 'max_request_body_size'): 'see max_json_body_size.',
    **{
        ('ec2authtoken', name): _CATALOG
        for name in (
            'interface',
            'max_version',
            'min_version',
            'region_name',
            'service_name',
            'service_type',
            'valid_interfaces',
            'version',
        )
    },
    **{
        ('ec2authtoken', name): _ONE_REQUEST
        for name in (
            'collect_timing',
            'connect_retries',
            'connect_retry_delay',
            'retriable_status_codes',
            'split_loggers',
            'status_code_retries',
            'status_code_retry_delay',
        )
    },
}


def _always(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    return True


def _is_synchronous(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether the replica is not used, as in Heat."""
    found = values.get(('database', 'synchronous_reader'))
    return found is None or found.value.lower() in ('true', '1', 'yes', 'on')


@dataclasses.dataclass(frozen=True)
class Difference:
    """``applies(value, settings by group and name)``: whether it matters for a value."""

    text: str
    applies: Callable[[str, Mapping[tuple[str, str], Any]], bool] = _always


DIFFERS = {
    ('DEFAULT', 'cloud_backend'): Difference(
        'the class authenticates requests with flavor = custombackend; it does not replace the '
        'clients of services.',
        lambda value, _: value != 'heat.engine.clients.OpenStackClients',
    ),
    ('DEFAULT', 'periodic_interval'): Difference(
        'heartbeats are sent each heartbeat_interval of [heat_lite], if that is shorter.'
    ),
    ('DEFAULT', 'reauthentication_auth_method'): Difference(
        'an action outlives its token with any value.'
    ),
    ('DEFAULT', 'plugin_dirs'): Difference(
        'the plug-ins use heat_lite.plugin: see docs/plugins.md.'
    ),
    ('database', 'slave_connection'): Difference(
        'it is used with synchronous_reader = false only, as in Heat.', _is_synchronous
    ),
}
