"""OS::Neutron::SubnetPool."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint, Length, Range
from heat_lite.template.schema import boolean, integer, list_, string


class SubnetPool(NeutronResource):
    """A supply of addresses from which subnets are cut."""

    resource_type = 'OS::Neutron::SubnetPool'
    support_status = support.since('6.0.0')
    rest = Rest('neutron', '/subnetpools', 'subnetpool', extension='subnet_allocation')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'prefixes': list_(
            'Its addresses, as a list of address/bits.',
            string(constraints=[CustomConstraint('net_cidr')]),
            required=True,
            update_allowed=True,
            constraints=[Length(min=1)],
        ),
        'address_scope': string(
            'The address scope that it belongs to.', update_allowed=True, ref='neutron.address_scope', wire='address_scope_id'
        ),
        'default_prefixlen': integer(
            'The bits of a subnet that does not say how many it wants.', update_allowed=True, constraints=[Range(min=0)]
        ),
        'default_quota': integer(
            'How many addresses (IPv4), or how many /64 (IPv6), one project may take.', update_allowed=True, constraints=[Range(min=0)]
        ),
        'is_default': boolean('Whether subnets that name no pool take from it.', default=False, update_allowed=True),
        'max_prefixlen': integer('The most bits that a subnet may want.', update_allowed=True, constraints=[Range(min=0)]),
        'min_prefixlen': integer('The fewest bits that a subnet may want.', update_allowed=True, constraints=[Range(min=0)]),
        'shared': boolean('Whether other projects may use it.', default=False),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('9.0.0'), sent=False),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
    }

    def validate(self):
        super().validate()
        fewest, usual, most = (self.properties[f'{which}_prefixlen'] for which in ('min', 'default', 'max'))
        _refuse('max_prefixlen', most, 'min_prefixlen', fewest)
        _refuse('max_prefixlen', most, 'default_prefixlen', usual)
        _refuse('default_prefixlen', usual, 'min_prefixlen', fewest)


def _refuse(more, most, fewer, least):
    if most is not None and least is not None and most < least:
        text = f'Illegal prefix bounds: {more}={most}, {fewer}={least}.'
        raise exception.StackValidationFailed(text)
