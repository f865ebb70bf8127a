"""OS::Neutron::SubnetPool and OS::Neutron::AddressScope."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import above, filled, refuse
from heat_lite.resources.openstack.neutron.base import NeutronResource, tags_property
from heat_lite.template.schema import boolean, integer, list_, name_property, string, switch

LEAST, DEFAULT, MOST = 'min_prefixlen', 'default_prefixlen', 'max_prefixlen'


def _bounds(first, second, **tests):
    """Return the rule that two prefix lengths are in order; zero is none."""
    text = f'Illegal prefix bounds: {first}={{{first}}}, {second}={{{second}}}.'
    return refuse(text, **tests)


class SubnetPool(NeutronResource):
    """A subnet pool."""

    resource_type = 'OS::Neutron::SubnetPool'
    since = '6.0.0'
    rest = Rest('neutron', '/subnetpools', 'subnetpool', extension='subnet_allocation')

    properties_schema = {
        'name': name_property(),
        'prefixes': list_(
            'CIDRs of the subnet pool.',
            string(custom='net_cidr'),
            required=True,
            update_allowed=True,
            min=1,
        ),
        'address_scope': string(
            'Address scope of the subnet pool, by name or id.',
            update_allowed=True,
            ref='neutron.address_scope',
            wire='address_scope_id',
        ),
        'default_prefixlen': integer(
            'Default prefix length of the subnets.', update_allowed=True, min=0
        ),
        'default_quota': integer(
            'Quota of a project: IPv4 addresses, or /64 prefixes for IPv6.',
            update_allowed=True,
            min=0,
        ),
        'is_default': switch('Whether the subnet pool is the default one.', default=False),
        'max_prefixlen': integer('Largest prefix length of a subnet.', update_allowed=True, min=0),
        'min_prefixlen': integer('Smallest prefix length of a subnet.', update_allowed=True, min=0),
        'shared': boolean('Whether other projects can use the subnet pool.', default=False),
        'tags': tags_property('subnet pool'),
        'tenant_id': string('Project of the subnet pool, by id. Requires administrator rights.'),
    }
    property_rules = (
        _bounds(MOST, LEAST, max_prefixlen=filled, min_prefixlen=above(MOST)),
        _bounds(MOST, DEFAULT, max_prefixlen=filled, default_prefixlen=above(MOST)),
        _bounds(LEAST, DEFAULT, default_prefixlen=filled, min_prefixlen=above(DEFAULT)),
    )


class AddressScope(NeutronResource):
    """An address scope: subnet pools whose addresses do not overlap."""

    resource_type = 'OS::Neutron::AddressScope'
    since = '6.0.0'
    rest = Rest('neutron', '/address-scopes', 'address_scope', extension='address-scope')

    properties_schema = {
        'name': name_property(),
        'ip_version': integer('IP version of the address scope.', default=4, allowed=[4, 6]),
        'shared': switch('Whether other projects can use the address scope.', default=False),
        'tenant_id': string(
            'Project of the address scope, by id. Requires administrator rights.',
            ref='keystone.project',
        ),
    }
