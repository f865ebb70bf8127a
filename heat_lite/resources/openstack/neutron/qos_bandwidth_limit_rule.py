"""OS::Neutron::QoSBandwidthLimitRule."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import integer, string


class QoSBandwidthLimitRule(NeutronResource):
    """The most traffic that is let through."""

    resource_type = 'OS::Neutron::QoSBandwidthLimitRule'
    support_status = support.since('6.0.0')
    rest = Rest('neutron', '/qos/policies/{policy}/bandwidth_limit_rules', 'bandwidth_limit_rule', extension='qos')

    properties_schema = {
        'max_kbps': integer('The limit, in kilobits a second.', required=True, update_allowed=True, constraints=[Range(min=0)]),
        'policy': string('The policy that it belongs to, by name or id.', required=True, ref='neutron.qos_policy', sent=False),
        'direction': string(
            'Which way the traffic goes, seen from the port.',
            default='egress',
            update_allowed=True,
            constraints=[AllowedValues(['egress', 'ingress'])],
            support=support.since('13.0.0'),
        ),
        'max_burst_kbps': integer('How much more a burst may be, in kilobits.', default=0, update_allowed=True, constraints=[Range(min=0)]),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
    }
