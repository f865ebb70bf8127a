"""OS::Nova::InterfaceAttachment."""

import functools

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import conflict, needs, one_of
from heat_lite.template.schema import OURS, list_attribute, parent, reference, string


class InterfaceAttachment(DeletedFirst):
    """An interface of a server that this or another stack has made."""

    resource_type = 'OS::Nova::InterfaceAttachment'
    since = OURS
    rest = Rest(
        'nova',
        '/servers/{server}/os-interface',
        'interfaceAttachment',
        id='port_id',
        retry_conflict=True,
        deletes_async=True,
    )

    properties_schema = {
        'server': parent('nova.server', 'Server, by name or id.'),
        'fixed_ip': string('Address in the network.', custom='ip_addr', sent=False),
        'network': string(
            'Network in which Nova makes a port, by name or id.',
            ref='neutron.network',
            wire='net_id',
        ),
        'port': reference('neutron.port', 'Port, by name or id.'),
        'tag': string('Tag of the interface, shown in the metadata of the server.', max=60),
    }
    property_rules = (
        one_of('port', 'network'),
        conflict('port', 'network'),
        needs('fixed_ip', 'network'),
    )
    attributes_schema = {
        'fixed_ips': list_attribute('Addresses of the interface.'),
        'mac_addr': 'MAC address of the interface.',
        'net_id': 'Id of the network.',
    }

    def body(self, values):
        address = self.properties['fixed_ip']
        return {**values, **({'fixed_ips': [{'ip_address': address}]} if address else {})}

    def find_existing(self):
        """Return the port, if it is attached; of a network, which interface is meant is unknown."""
        port = self.stored_property('port')
        if port is None:
            return super().find_existing()
        attached = self.client().list(self.collection(), 'interfaceAttachments')
        return next((port for each in attached if each['port_id'] == port), None)

    def blocks(self, wanted):
        """Return whether the replacing attachment takes the port, or the address."""
        return any(self.stored_property(name) and wanted[name] for name in ('port', 'fixed_ip'))

    @functools.cached_property
    def parents(self):
        if 'server' in (self.definition.properties or {}):
            return {}
        port = self.client('neutron').show(f'/ports/{self.resource_id}', 'port')
        return {'server': port['device_id']}

    def described(self, found):
        return {'port': found['port_id']}

    def objects(self):
        """Return None: most interfaces belong to the servers of their stacks."""
        return None
