"""OS::Neutron::AddressScope."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, integer, string


class AddressScope(NeutronResource):
    """A range of addresses that subnet pools draw from, none of them twice."""

    resource_type = 'OS::Neutron::AddressScope'
    support_status = support.since('6.0.0')
    rest = Rest('neutron', '/address-scopes', 'address_scope', extension='address-scope')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'ip_version': integer('The family of the addresses.', default=4, constraints=[AllowedValues([4, 6])]),
        'shared': boolean('Whether other projects may use it.', default=False, update_allowed=True),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.', ref='keystone.project'),
    }
