"""OS::Neutron::NetworkGateway and OS::Neutron::L2Gateway, and the connection of the latter."""

from heat_lite.common import status
from heat_lite.resources.base.live_state import to_wire
from heat_lite.resources.base.property_rules import filled, for_each, missing, refuse
from heat_lite.resources.openstack.neutron.base import NeutronResource, neutron_rest
from heat_lite.template.schema import alias, integer, list_, name_property, reference, string


class NetworkGateway(NeutronResource):
    """A network gateway: connects networks by gateway devices."""

    resource_type = 'OS::Neutron::NetworkGateway'
    since = '2014.1'
    rest = neutron_rest('/network-gateways', 'network_gateway')

    properties_schema = {
        'name': name_property(),
        'devices': list_(
            'Gateway devices.',
            {
                'id': string('Id of the gateway device.', required=True),
                'interface_name': string(
                    'Name of the interface of the gateway device.', required=True
                ),
            },
            required=True,
            update_allowed=True,
            min=1,
        ),
        'connections': list_(
            'Networks that the gateway connects.',
            {
                'network': reference(
                    'neutron.network',
                    'Network to connect with the gateway, by name or id.',
                    required=True,
                    since='2014.2',
                ),
                'network_id': alias('network', 'neutron.network'),
                'segmentation_id': integer(
                    'VLAN id of the network on the gateway.', min=0, max=4094
                ),
                'segmentation_type': string(
                    'Segmentation type of the network on the gateway.',
                    default='flat',
                    allowed=['flat', 'vlan'],
                ),
            },
            default={},
            update_allowed=True,
            sent=False,
        ),
    }
    property_rules = (
        for_each(
            'connections',
            refuse(
                'segmentation_id must be specified for using vlan',
                segmentation_type=('vlan',),
                segmentation_id=missing,
            ),
            refuse(
                'segmentation_id cannot be specified except 0 for using flat',
                segmentation_type=('flat',),
                segmentation_id=filled,
            ),
        ),
    )
    attributes_schema = {'default': 'Whether the gateway is the default one of Neutron.'}

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if 'connections' in diff:
            before = (
                []
                if action == status.CREATE
                else self._to_wire(self.stored_property('connections'))
            )
            after = self._to_wire(diff['connections'])
            yield from self._request(
                'disconnect_network', [each for each in before if each not in after]
            )
            yield from self._request(
                'connect_network', [each for each in after if each not in before]
            )

    def delete_object(self):
        yield from self._request(
            'disconnect_network', self._to_wire(self.stored_property('connections'))
        )
        yield from super().delete_object()

    def _to_wire(self, connections):
        return to_wire(self.properties_schema['connections'], list(connections or ()))

    def _request(self, action, connections):
        for each in connections:
            yield from self.delete_if_present(
                self.client().request_json, 'PUT', f'{self.object_path()}/{action}', each
            )


class L2Gateway(NeutronResource):
    """A layer 2 gateway: connects networks with devices outside."""

    resource_type = 'OS::Neutron::L2Gateway'
    since = '12.0.0'
    rest = neutron_rest('/l2-gateways', 'l2_gateway', 'l2-gateway')

    properties_schema = {
        'name': string('Name of the layer 2 gateway.', required=True, update_allowed=True),
        'devices': list_(
            'Devices of the layer 2 gateway.',
            {
                'device_name': string('Name of the device.', required=True),
                'interfaces': list_(
                    'Interfaces of the device.',
                    {
                        'name': string('Name of the interface.', required=True),
                        'segmentation_id': list_('Segmentation ids of the interface.'),
                    },
                    required=True,
                ),
            },
            required=True,
            update_allowed=True,
        ),
    }


class L2GatewayConnection(NeutronResource):
    """The connection of a network with a layer 2 gateway."""

    resource_type = 'OS::Neutron::L2GatewayConnection'
    since = '12.0.0'
    rest = neutron_rest('/l2-gateway-connections', 'l2_gateway_connection', 'l2-gateway-connection')
    unique_by = ('l2_gateway_id', 'network_id', 'segmentation_id')

    properties_schema = {
        'l2_gateway_id': string('Id of the layer 2 gateway.', required=True),
        'network_id': reference(
            'neutron.network', 'Network to connect, by name or id.', required=True
        ),
        'segmentation_id': string('Segmentation id on the gateway.'),
    }
