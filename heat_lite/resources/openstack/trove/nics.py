"""The rules of database types, and their property ``networks`` in requests."""

import urllib.parse

from heat_lite.common import exception
from heat_lite.resources.base.property_rules import conflict, for_each, given, missing, refuse
from heat_lite.template.schema import list_, map_, string

NETWORK, PORT, FIXED_IP = 'network', 'port', 'fixed_ip'


def schema(**options):
    return list_(
        'Networks of the database instance.',
        map_(
            None,
            {
                FIXED_IP: string('Fixed IPv4 address on the network.', custom='ip_addr'),
                NETWORK: string('Network of the interface, by name or id.', ref='neutron.network'),
                PORT: string('Port of the interface, by name or id.', ref='neutron.port'),
            },
        ),
        default=[],
        **options,
    )


#: the rules of the networks of an instance, and of the instances of a cluster
EITHER = 'Either network or port must be provided.'
INSTANCE_RULE = for_each(
    'networks', refuse(EITHER, network=lambda value, read: given(value) == given(read(PORT)))
)
CLUSTER_RULE = for_each(
    'networks', refuse(EITHER, network=missing, port=missing), conflict(NETWORK, PORT)
)


def refuse_version(read, resource):
    """Raise StackValidationFailed for a version that its datastore does not have."""
    kind, version = read('datastore_type'), read('datastore_version')
    if not kind or not version:
        return
    path = f'/datastores/{urllib.parse.quote(kind, "")}/versions'
    names = [each['name'] for each in resource.client().list(path, 'versions')]
    if version not in names:
        raise exception.StackValidationFailed(
            f'Datastore version {version} for datastore type {kind} is not valid. Allowed versions '
            f'are {", ".join(names)}.'
        )


def to_wire(networks):
    """Return the networks in the form of the request."""
    names = {NETWORK: 'net-id', PORT: 'port-id', FIXED_IP: 'v4-fixed-ip'}
    return [{names[key]: value for key, value in each.items() if value} for each in networks or ()]
