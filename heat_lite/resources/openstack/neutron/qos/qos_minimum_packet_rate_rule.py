"""OS::Neutron::QoSMinimumPacketRateRule."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, string


class QoSMinimumPacketRateRule(NeutronResource):
    """A QoS rule that guarantees a packet rate."""

    resource_type = 'OS::Neutron::QoSMinimumPacketRateRule'
    since = '19.0.0'
    rest = Rest(
        'neutron',
        '/qos/policies/{policy}/minimum_packet_rate_rules',
        'minimum_packet_rate_rule',
        extension='qos-pps-minimum',
    )

    properties_schema = {
        'min_kpps': integer(
            'Guaranteed rate in thousands of packets per second.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'policy': string(
            'QoS policy of the minimum packet rate, by name or id.',
            required=True,
            ref='neutron.qos_policy',
            sent=False,
        ),
        'direction': string(
            'Direction of the guaranteed packet rate, from the point of view of the port.',
            default='egress',
            update_allowed=True,
            allowed=['any', 'egress', 'ingress'],
        ),
        'tenant_id': string(
            'Project of the minimum packet rate, by id. Requires administrator rights.'
        ),
    }
