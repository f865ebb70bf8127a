"""OS::Neutron::MeteringLabel and OS::Neutron::MeteringRule."""

from heat_lite.resources.base.property_rules import conflict, one_of
from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    needs_extension,
    neutron_rest,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    name_property,
    string,
)

#: the CIDRs of both ends, which newer Neutron has instead of the remote one
ENDS = ('source_ip_prefix', 'destination_ip_prefix')


class MeteringLabel(NeutronResource):
    """A metering label: a counter of traffic."""

    resource_type = 'OS::Neutron::MeteringLabel'
    since = '2014.1'
    rest = neutron_rest('/metering/metering-labels', 'metering_label')

    properties_schema = {
        'name': name_property(update_allowed=False),
        'description': description_property(update_allowed=False),
        'shared': boolean(
            'Whether the label counts the traffic of all projects.', default=False, since='2015.1'
        ),
    }
    attributes_schema = {
        'description': 'Description of the metering label.',
        'name': 'Name of the metering label.',
        'shared': 'Whether the metering label is shared.',
    }


class MeteringRule(NeutronResource):
    """A metering label rule: selects the traffic that a label counts."""

    resource_type = 'OS::Neutron::MeteringRule'
    since = '2014.1'
    rest = neutron_rest('/metering/metering-label-rules', 'metering_label_rule')
    unique_by = ('metering_label_id', 'direction', 'excluded', 'remote_ip_prefix', *ENDS)

    properties_schema = {
        'metering_label_id': string('Id of the metering label.', required=True),
        'remote_ip_prefix': string(
            'CIDR of the remote end of the traffic. Heat requires it; the CIDRs of the source and '
            'the destination replace it.'
        ),
        'destination_ip_prefix': string(
            'CIDR of the destination of the traffic.', custom='net_cidr', since=OURS
        ),
        'direction': string(
            'Direction of the counted traffic: ingress or egress.',
            default='ingress',
            allowed=['ingress', 'egress'],
        ),
        'excluded': boolean('Whether the traffic is excluded from the count.', default='False'),
        'source_ip_prefix': string(
            'CIDR of the source of the traffic.', custom='net_cidr', since=OURS
        ),
    }
    property_rules = (
        one_of('remote_ip_prefix', *ENDS),
        *(conflict('remote_ip_prefix', end) for end in ENDS),
        *needs_extension('metering-source-and-destination-ip-prefixes', *ENDS),
    )
    attributes_schema = {
        'direction': 'Direction of the rule.',
        'excluded': 'Whether the rule excludes traffic.',
        'metering_label_id': 'Id of the label that the rule belongs to.',
        'remote_ip_prefix': 'CIDR of the rule.',
    }
