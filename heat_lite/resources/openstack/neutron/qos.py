"""OS::Neutron::QoSPolicy and the types of the rules of a policy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    boolean,
    description_property,
    integer,
    list_attribute,
    name_property,
    string,
    switch,
)
from heat_lite.template.support import OURS


class QoSPolicy(NeutronResource):
    """A QoS policy: a set of rules for ports and networks."""

    resource_type = 'OS::Neutron::QoSPolicy'
    since = '6.0.0'
    rest = Rest('neutron', '/qos/policies', 'policy', extension='qos')
    entity = 'qos_policy'

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'is_default': boolean(
            'Whether networks of the project without a policy have this one.',
            update_allowed=True,
            since=OURS,
        ),
        'shared': switch('Whether other projects can use the QoS policy.', default=False),
        'tenant_id': string('Project of the QoS policy, by id. Requires administrator rights.'),
    }
    attributes_schema = {'rules': list_attribute('Rules of the QoS policy.')}


def _policy(noun):
    return string(
        f'QoS policy of the {noun}, by name or id.',
        required=True,
        ref='neutron.qos_policy',
        sent=False,
    )


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
    unique_by = ('direction',)

    properties_schema = {
        'max_kbps': integer(
            'Largest bandwidth in kilobits per second.', required=True, update_allowed=True, min=0
        ),
        'policy': _policy('bandwidth limit'),
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


class QoSDscpMarkingRule(NeutronResource):
    """A QoS rule that sets the DSCP mark of packets."""

    resource_type = 'OS::Neutron::QoSDscpMarkingRule'
    since = '7.0.0'
    rest = Rest(
        'neutron', '/qos/policies/{policy}/dscp_marking_rules', 'dscp_marking_rule', extension='qos'
    )
    unique_by = ('dscp_mark',)

    properties_schema = {
        'dscp_mark': integer(
            'DSCP mark.',
            required=True,
            update_allowed=True,
            allowed=[0, *range(8, 42, 2), 46, 48, 56],
        ),
        'policy': _policy('DSCP mark'),
        'tenant_id': string('Project of the DSCP mark, by id. Requires administrator rights.'),
    }


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
    unique_by = ('direction',)

    properties_schema = {
        'min_kbps': integer(
            'Guaranteed bandwidth in kilobits per second.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'policy': _policy('minimum bandwidth'),
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
    unique_by = ('direction',)

    properties_schema = {
        'min_kpps': integer(
            'Guaranteed rate in thousands of packets per second.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'policy': _policy('minimum packet rate'),
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


class QoSPacketRateLimitRule(NeutronResource):
    """A QoS rule that limits the packet rate."""

    resource_type = 'OS::Neutron::QoSPacketRateLimitRule'
    since = OURS
    rest = Rest(
        'neutron',
        '/qos/policies/{policy}/packet_rate_limit_rules',
        'packet_rate_limit_rule',
        extension='qos-pps',
    )
    unique_by = ('direction',)

    properties_schema = {
        'max_kpps': integer(
            'Largest rate in thousands of packets per second.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'policy': _policy('packet rate limit'),
        'direction': string(
            'Direction of the limited packets, from the point of view of the port.',
            default='egress',
            update_allowed=True,
            allowed=['egress', 'ingress'],
        ),
        'max_burst_kpps': integer(
            'Burst size in thousands of packets.', default=0, update_allowed=True, min=0
        ),
    }
