"""The networks of databases, as templates say them and as the service wants them."""

from heat_lite.common import exception
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import list_, map_, string

NETWORK, PORT, FIXED_IP = 'network', 'port', 'fixed_ip'


def schema(**options):
    return list_(
        'The networks that it is connected to.',
        map_(
            None,
            {
                FIXED_IP: string('The address that it shall have.', constraints=[CustomConstraint('ip_addr')]),
                NETWORK: string('The network, by name or id.', ref='neutron.network'),
                PORT: string('The port, by name or id.', ref='neutron.port'),
            },
        ),
        default=[],
        **options,
    )


def check(networks):
    """Raise StackValidationFailed unless each is reached in one way."""
    for each in networks or ():
        if bool(each[NETWORK]) == bool(each[PORT]):
            raise exception.StackValidationFailed('Either network or port must be provided.')


def wire(networks):
    """As the service wants them."""
    names = {NETWORK: 'net-id', PORT: 'port-id', FIXED_IP: 'v4-fixed-ip'}
    return [{names[key]: value for key, value in each.items() if value} for each in networks or ()]
