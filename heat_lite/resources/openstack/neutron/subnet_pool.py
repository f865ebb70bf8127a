"""OS::Neutron::SubnetPool."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource, tags_property
from heat_lite.template.schema import boolean, integer, list_, name_property, string, switch


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

    def validate(self):
        super().validate()
        fewest, default, most = (
            self.properties[f'{which}_prefixlen'] for which in ('min', 'default', 'max')
        )
        _refuse('max_prefixlen', most, 'min_prefixlen', fewest)
        _refuse('max_prefixlen', most, 'default_prefixlen', default)
        _refuse('default_prefixlen', default, 'min_prefixlen', fewest)


def _refuse(more, most, fewer, least):
    if most is not None and least is not None and most < least:
        text = f'Illegal prefix bounds: {more}={most}, {fewer}={least}.'
        raise exception.StackValidationFailed(text)
