"""OS::Neutron::QoSDscpMarkingRule."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, string


class QoSDscpMarkingRule(NeutronResource):
    """A QoS rule that sets the DSCP mark of packets."""

    resource_type = 'OS::Neutron::QoSDscpMarkingRule'
    since = '7.0.0'
    rest = Rest(
        'neutron', '/qos/policies/{policy}/dscp_marking_rules', 'dscp_marking_rule', extension='qos'
    )

    properties_schema = {
        'dscp_mark': integer(
            'DSCP mark.',
            required=True,
            update_allowed=True,
            allowed=[
                0,
                8,
                10,
                12,
                14,
                16,
                18,
                20,
                22,
                24,
                26,
                28,
                30,
                32,
                34,
                36,
                38,
                40,
                46,
                48,
                56,
            ],
        ),
        'policy': string(
            'QoS policy of the DSCP mark, by name or id.',
            required=True,
            ref='neutron.qos_policy',
            sent=False,
        ),
        'tenant_id': string('Project of the DSCP mark, by id. Requires administrator rights.'),
    }
