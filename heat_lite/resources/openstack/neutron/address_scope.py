"""OS::Neutron::AddressScope."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, name_property, string, switch


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
