"""OS::Neutron::L2GatewayConnection."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import string


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
