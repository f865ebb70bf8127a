"""OS::Neutron::QoSPolicy and the types of the rules of a policy."""

from heat_lite.resources.openstack.neutron.base import NeutronResource, neutron_rest, tags_property
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer,
    list_attribute,
    name_property,
    parent,
    string,
    switch,
)


def _rest(key, extension='qos'):
    """Return the Rest of a kind of rules."""
    return neutron_rest(f'/qos/policies/{{policy}}/{key}s', key, extension)


def _policy(noun):
    return parent('neutron.qos_policy', f'QoS policy of the {noun}, by name or id.')


def _value(description):
    return integer(description, required=True, update_allowed=True, min=0)


def _direction(noun, allowed=('egress', 'ingress'), **options):
    return string(
        f'Direction of the {noun}, from the point of view of the port.',
        default='egress',
        update_allowed=True,
        allowed=allowed,
        **options,
    )


def _project(noun):
    return string(f'Project of the {noun}, by id. Requires administrator rights.')


class QoSPolicy(NeutronResource):
    """A QoS policy: a set of rules for ports and networks."""

    resource_type = 'OS::Neutron::QoSPolicy'
    since = '6.0.0'
    rest = neutron_rest('/qos/policies', 'policy', 'qos')
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
        'tags': tags_property('QoS policy', since=OURS),
        'tenant_id': _project('QoS policy'),
    }
    attributes_schema = {'rules': list_attribute('Rules of the QoS policy.')}


class QoSBandwidthLimitRule(NeutronResource):
    """A QoS rule that limits the bandwidth."""

    resource_type = 'OS::Neutron::QoSBandwidthLimitRule'
    since = '6.0.0'
    rest = _rest('bandwidth_limit_rule')
    unique_by = ('direction',)

    properties_schema = {
        'max_kbps': _value('Largest bandwidth in kilobits per second.'),
        'policy': _policy('bandwidth limit'),
        'direction': _direction('limited traffic', since='13.0.0'),
        'max_burst_kbps': integer('Burst size in kilobits.', default=0, update_allowed=True, min=0),
        'tenant_id': _project('bandwidth limit'),
    }


class QoSDscpMarkingRule(NeutronResource):
    """A QoS rule that sets the DSCP mark of packets."""

    resource_type = 'OS::Neutron::QoSDscpMarkingRule'
    since = '7.0.0'
    rest = _rest('dscp_marking_rule')
    unique_by = ('dscp_mark',)

    properties_schema = {
        'dscp_mark': integer(
            'DSCP mark.',
            required=True,
            update_allowed=True,
            allowed=[0, *range(8, 42, 2), 46, 48, 56],
        ),
        'policy': _policy('DSCP mark'),
        'tenant_id': _project('DSCP mark'),
    }


class QoSMinimumBandwidthRule(NeutronResource):
    """A QoS rule that guarantees a bandwidth."""

    resource_type = 'OS::Neutron::QoSMinimumBandwidthRule'
    since = '14.0.0'
    rest = _rest('minimum_bandwidth_rule', 'qos-bw-minimum-ingress')
    unique_by = ('direction',)

    properties_schema = {
        'min_kbps': _value('Guaranteed bandwidth in kilobits per second.'),
        'policy': _policy('minimum bandwidth'),
        'direction': _direction('guaranteed bandwidth'),
        'tenant_id': _project('minimum bandwidth'),
    }


class QoSMinimumPacketRateRule(NeutronResource):
    """A QoS rule that guarantees a packet rate."""

    resource_type = 'OS::Neutron::QoSMinimumPacketRateRule'
    since = '19.0.0'
    rest = _rest('minimum_packet_rate_rule', 'qos-pps-minimum')
    unique_by = ('direction',)

    properties_schema = {
        'min_kpps': _value('Guaranteed rate in thousands of packets per second.'),
        'policy': _policy('minimum packet rate'),
        'direction': _direction('guaranteed packet rate', ['any', 'egress', 'ingress']),
        'tenant_id': _project('minimum packet rate'),
    }


class QoSPacketRateLimitRule(NeutronResource):
    """A QoS rule that limits the packet rate."""

    resource_type = 'OS::Neutron::QoSPacketRateLimitRule'
    since = OURS
    rest = _rest('packet_rate_limit_rule', 'qos-pps')
    unique_by = ('direction',)

    properties_schema = {
        'max_kpps': _value('Largest rate in thousands of packets per second.'),
        'policy': _policy('packet rate limit'),
        'direction': _direction('limited packets'),
        'max_burst_kpps': integer(
            'Burst size in thousands of packets.', default=0, update_allowed=True, min=0
        ),
    }
