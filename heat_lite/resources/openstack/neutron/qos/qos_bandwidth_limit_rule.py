"""OS::Neutron::QoSBandwidthLimitRule."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, string


class QoSBandwidthLimitRule(NeutronResource):
    """A QoS rule that limits the bandwidth."""

    resource_type = 'OS::Neutron::QoSBandwidthLimitRule'
    since = '6.0.0'
    rest = Rest(
        'neutron',
        '/qos/policies/{policy}/bandwidth_limit_rules',
        'bandwidth_limit_rule',
        extension='qos',
    )

    properties_schema = {
        'max_kbps': integer(
            'Largest bandwidth in kilobits per second.', required=True, update_allowed=True, min=0
        ),
        'policy': string(
            'QoS policy of the bandwidth limit, by name or id.',
            required=True,
            ref='neutron.qos_policy',
            sent=False,
        ),
        'direction': string(
            'Direction of the limited traffic, from the point of view of the port.',
            default='egress',
            update_allowed=True,
            allowed=['egress', 'ingress'],
            since='13.0.0',
        ),
        'max_burst_kbps': integer('Burst size in kilobits.', default=0, update_allowed=True, min=0),
        'tenant_id': string(
            'Project of the bandwidth limit, by id. Requires administrator rights.'
        ),
    }
