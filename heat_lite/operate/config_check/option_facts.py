"""Options of Heat and of libraries that have no effect here, or another one: tables.

The options of this project without an effect say so in their help texts.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from heat_lite.conf import service

#: namespaces of the libraries whose options the programs read
LIBRARIES = (
    'keystonemiddleware.audit',
    'keystonemiddleware.auth_token',
    'oslo.concurrency',
    'oslo.db',
    'oslo.log',
    'oslo.messaging',
    'oslo.middleware.cors',
    'oslo.middleware.healthcheck',
    'oslo.middleware.http_proxy_to_wsgi',
    'oslo.policy',
    'oslo.reports',
)
#: groups with the login of a user of the service
LOGINS = ('keystone_authtoken', 'trustee')
#: the group with the login for EC2 signatures, and the beginning of one for each of several clouds
EC2, EC2_CLOUD = 'ec2authtoken', 'ec2authtoken.'
RABBIT = 'oslo_messaging_rabbit'

NOT_LOADED = 'the library is not used here.'
UNUSED_GROUPS = {
    'cache': 'each process caches in its own memory.',
    'oslo_middleware_tracing': NOT_LOADED,
    'oslo_versionedobjects': NOT_LOADED,
    'profiler_jaeger': NOT_LOADED,
    'profiler_otlp': NOT_LOADED,
    'ssl': 'cert_file and key_file of [heat_api] make a server speak HTTPS.',
}
#: {(group, option): reason}, from (group, reason, options)
UNUSED = {
    (group, name): reason
    for group, reason, names in (
        ('trustee', 'the region is region_name_for_services of [DEFAULT].', 'region_name'),
        (RABBIT, 'heartbeats have a native thread always.', 'heartbeat_in_pthread'),
        ('profiler', 'transactions are always traced.', 'trace_sqlalchemy'),
        ('profiler', 'requests to services are always traced.', 'trace_requests'),
        (
            'profiler',
            'traces are sent by OTLP.',
            'es_doc_type es_scroll_time es_scroll_size socket_timeout sentinel_service_name '
            'filter_error_trace',
        ),
        (
            'DEFAULT',
            'see graceful_shutdown_timeout of [heat_lite].',
            'graceful_shutdown_timeout',
        ),
        ('DEFAULT', 'options are not logged.', 'log_options'),
        ('DEFAULT', NOT_LOADED, 'backdoor_port backdoor_socket run_external_periodic_tasks'),
        ('DEFAULT', 'see api_paste_config of [paste_deploy].', 'api_paste_config'),
        (
            'DEFAULT',
            'the servers read the option of [heat_api], [heat_api_cfn] and [heat_api_cloudwatch].',
            'tcp_keepidle max_header_line',
        ),
        (
            'DEFAULT',
            'the servers are not those of oslo.service.',
            'wsgi_log_format wsgi_keep_alive wsgi_server_debug',
        ),
        ('DEFAULT', 'see http_max_connections of [heat_lite].', 'wsgi_default_pool_size'),
        ('DEFAULT', 'see http_body_timeout of [heat_lite].', 'client_socket_timeout'),
        (
            'database',
            'asyncio is not used for the database.',
            'asyncio_connection asyncio_slave_connection',
        ),
        ('database', 'there is one backend.', 'backend'),
        (
            'database',
            'statements are not logged, as they contain secrets.',
            'connection_debug connection_trace',
        ),
        (
            'database',
            'connections are made when they are needed, and failed statements are repeated.',
            'max_retries retry_interval',
        ),
        ('oslo_middleware', NOT_LOADED, 'http_basic_auth_user_file'),
        ('oslo_middleware', 'see max_json_body_size.', 'max_request_body_size'),
        ('oslo_middleware', 'see enable_proxy_headers_parsing.', 'secure_proxy_ssl_header'),
        (EC2, 'timings are not collected.', 'collect_timing'),
        (EC2, 'requests with signatures are not logged.', 'split_loggers'),
    )
    for name in names.split()
}


def ec2_cloud_is_unused(group: str, values: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether a group is one of a cloud whose Keystone is not asked."""
    if not group.startswith(EC2_CLOUD):
        return False
    multi, clouds = (values.get((EC2, name)) for name in ('multi_cloud', 'clouds'))
    names = [name.strip() for name in clouds.value.split(',')] if clouds else []
    return not (multi and _is_true(multi.value) and group.removeprefix(EC2_CLOUD) in names)


def lacks_ec2_login(values: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether no login is set for the one Keystone that validates EC2 signatures."""
    names = ('auth_type', 'auth_plugin', 'auth_section')
    # that of the service is the second choice
    logins = {(group, name) for group in (EC2, LOGINS[0]) for name in names}
    return _is_single_cloud('', values) and logins.isdisjoint(values)


def _is_true(value: str) -> bool:
    return value.lower() in ('true', '1', 'yes', 'on')


def _always(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    return True


def _is_synchronous(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether the replica is not used, as in Heat."""
    found = values.get(('database', 'synchronous_reader'))
    return found is None or _is_true(found.value)


def _has_random_queue_names(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    return not _is_set(values, 'use_queue_manager')


def _lacks_options_of_streams(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    prefetch = values.get((RABBIT, 'rabbit_qos_prefetch_count'))
    complete = prefetch is not None and _is_set(values, 'rabbit_transient_quorum_queue')
    return _is_true(value) and not complete


def _is_set(values: Mapping[tuple[str, str], Any], name: str, group: str = RABBIT) -> bool:
    found = values.get((group, name))
    return found is not None and _is_true(found.value)


def _is_single_cloud(value: str, values: Mapping[tuple[str, str], Any]) -> bool:
    return not _is_set(values, 'multi_cloud', EC2)


@dataclasses.dataclass(frozen=True)
class Difference:
    """``applies(value, settings by group and name)``: whether it matters for a value."""

    text: str
    applies: Callable[[str, Mapping[tuple[str, str], Any]], bool] = _always


@dataclasses.dataclass(frozen=True)
class Refusal:
    """An option that ends the start of a service unless it has one of the ``accepted`` values."""

    text: str
    accepted: tuple[str, ...]


REFUSED = {
    ('DEFAULT', 'keystone_backend'): Refusal(
        'no engine starts with it: the client of Keystone is built in and cannot be replaced.',
        ('', service.HEAT_KEYSTONE_BACKEND),
    )
}
DIFFERS = {
    ('trustee', 'auth_type'): Difference(
        'Keystone lets an application credential use no trust: stacks do not '
        'outlive the tokens of their users. Set auth_type = password.',
        lambda value, _: 'applicationcredential' in value,
    ),
    ('DEFAULT', 'cloud_backend'): Difference(
        'the class authenticates requests with flavor = custombackend; it does not replace the '
        'clients of services.',
        lambda value, _: value != service.HEAT_CLOUD_BACKEND,
    ),
    ('DEFAULT', 'periodic_interval'): Difference(
        'heartbeats are sent each heartbeat_interval of [heat_lite], if that is shorter.'
    ),
    ('DEFAULT', 'reauthentication_auth_method'): Difference(
        'an action outlives its token with any value.'
    ),
    ('oslo_concurrency', 'lock_path'): Difference(
        f'it is used with use_queue_manager = true of [{RABBIT}] only.',
        _has_random_queue_names,
    ),
    (RABBIT, 'rabbit_stream_fanout'): Difference(
        'no program starts with it: set rabbit_qos_prefetch_count and '
        'rabbit_transient_quorum_queue = true in the group, too.',
        _lacks_options_of_streams,
    ),
    ('profiler', 'connection_string'): Difference(
        'nothing is traced with this driver. Set the address of a collector, otlp://HOST:PORT.',
        lambda value, _: not value.startswith(('otlp://', 'http://', 'https://')),
    ),
    (EC2, 'clouds'): Difference('it is read with multi_cloud = true only.', _is_single_cloud),
    ('database', 'slave_connection'): Difference(
        'it is used with synchronous_reader = false only, as in Heat.', _is_synchronous
    ),
}
