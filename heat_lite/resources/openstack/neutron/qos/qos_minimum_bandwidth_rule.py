"""OS::Neutron::QoSMinimumBandwidthRule."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, string


class QoSMinimumBandwidthRule(NeutronResource):
    """A QoS rule that guarantees a bandwidth."""

    resource_type = 'OS::Neutron::QoSMinimumBandwidthRule'
    since = '14.0.0'
    rest = Rest(
        'neutron',
        '/qos/policies/{policy}/minimum_bandwidth_rules',
        'minimum_bandwidth_rule',
        extension='qos-bw-minimum-ingress',
    )

    properties_schema = {
        'min_kbps': integer(
            'Guaranteed bandwidth in kilobits per second.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'policy': string(
            'QoS policy of the minimum bandwidth, by name or id.',
            required=True,
            ref='neutron.qos_policy',
            sent=False,
        ),
        'direction': string(
            'Direction of the guaranteed bandwidth, from the point of view of the port.',
            default='egress',
            update_allowed=True,
            allowed=['egress', 'ingress'],
        ),
        'tenant_id': string(
            'Project of the minimum bandwidth, by id. Requires administrator rights.'
        ),
    }
