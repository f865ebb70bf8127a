"""The property ``networks`` of database types: its rules and the request."""

from heat_lite.common import exception
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


def validate(networks):
    """Validate that each entry names either a network or a port. Raises StackValidationFailed."""
    for each in networks or ():
        if bool(each[NETWORK]) == bool(each[PORT]):
            raise exception.StackValidationFailed('Either network or port must be provided.')


def to_wire(networks):
    """Return the networks in the form of the request."""
    names = {NETWORK: 'net-id', PORT: 'port-id', FIXED_IP: 'v4-fixed-ip'}
    return [{names[key]: value for key, value in each.items() if value} for each in networks or ()]
