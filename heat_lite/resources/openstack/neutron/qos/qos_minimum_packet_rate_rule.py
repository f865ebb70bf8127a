"""OS::Neutron::QoSMinimumPacketRateRule."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import integer, string


class QoSMinimumPacketRateRule(NeutronResource):
    """The packets that are promised."""

    resource_type = 'OS::Neutron::QoSMinimumPacketRateRule'
    support_status = support.since('19.0.0')
    rest = Rest('neutron', '/qos/policies/{policy}/minimum_packet_rate_rules', 'minimum_packet_rate_rule', extension='qos-pps-minimum')

    properties_schema = {
        'min_kpps': integer(
            'The promise, in thousands of packets a second.', required=True, update_allowed=True, constraints=[Range(min=0)]
        ),
        'policy': string('The policy that it belongs to, by name or id.', required=True, ref='neutron.qos_policy', sent=False),
        'direction': string(
            'Which way the traffic goes, seen from the port.',
            default='egress',
            update_allowed=True,
            constraints=[AllowedValues(['any', 'egress', 'ingress'])],
        ),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
    }
