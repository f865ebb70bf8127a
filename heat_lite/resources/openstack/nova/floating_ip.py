"""OS::Nova::FloatingIP."""

from heat_lite.resources.openstack.neutron.addresses import NETWORK_SERVICE, Address
from heat_lite.template import support
from heat_lite.template.schema import string, text


class FloatingIP(Address):
    """A floating IP of an external network, which Nova called a pool."""

    resource_type = 'OS::Nova::FloatingIP'
    heat_class = 'NovaFloatingIp'
    support_status = support.history('hidden 11.0.0, deprecated 9.0.0, supported 2014.1')
    default_client_name = None
    required_service = NETWORK_SERVICE

    properties_schema = {
        'pool': string(
            'External network from which the floating IP is allocated, by name or id. By default, '
            'the only one.',
            resolves='neutron.network',
        )
    }
    attributes_schema = {
        'ip': text('IP address of the floating IP.', wire='floating_ip_address'),
        'pool': text('Id of the external network.', wire='floating_network_id'),
    }

    def handle_create(self):
        yield from self.allocate(self.properties['pool'] or self.external_network())

    def resolve_attribute(self, name):
        return self.resource_id and self.fetch()[self.attributes_schema[name].wire]
