"""OS::Neutron::L2Gateway and OS::Neutron::L2GatewayConnection."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import list_, string


class L2Gateway(NeutronResource):
    """A layer 2 gateway: connects networks with devices outside."""

    resource_type = 'OS::Neutron::L2Gateway'
    since = '12.0.0'
    rest = Rest('neutron', '/l2-gateways', 'l2_gateway', extension='l2-gateway')

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
    rest = Rest(
        'neutron',
        '/l2-gateway-connections',
        'l2_gateway_connection',
        extension='l2-gateway-connection',
    )

    properties_schema = {
        'l2_gateway_id': string('Id of the layer 2 gateway.', required=True),
        'network_id': string(
            'Network to connect, by name or id.', required=True, ref='neutron.network'
        ),
        'segmentation_id': string('Segmentation id on the gateway.'),
    }
