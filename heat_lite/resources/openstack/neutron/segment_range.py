"""OS::Neutron::NetworkSegmentRange."""

from heat_lite.resources.base.property_rules import above, missing, refuse
from heat_lite.resources.openstack.neutron.base import MARK, NeutronResource, neutron_rest
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer,
    list_attribute,
    map_attribute,
    name_property,
    reference,
    string,
)


class NetworkSegmentRange(NeutronResource):
    """A range of VLAN or tunnel ids from which networks get theirs. For administrators."""

    resource_type = 'OS::Neutron::NetworkSegmentRange'
    since = OURS
    rest = neutron_rest(
        '/network_segment_ranges', 'network_segment_range', 'network-segment-range', mark=MARK
    )

    properties_schema = {
        'name': name_property(),
        'maximum': integer('Last id of the range.', required=True, update_allowed=True, min=1),
        'minimum': integer('First id of the range.', required=True, update_allowed=True, min=1),
        'network_type': string(
            'Network type of the ids.', required=True, allowed=['vlan', 'vxlan', 'gre', 'geneve']
        ),
        'description': description_property(),
        'physical_network': string('Physical network of the VLAN ids.'),
        'project': reference(
            'keystone.project',
            'Project whose networks get the ids, by name or id; for a range that is not shared.',
        ),
        'shared': boolean('Whether networks of all projects get the ids.', default=True),
    }
    property_rules = (
        refuse('minimum ({minimum}) is greater than maximum.', minimum=above('maximum')),
        refuse(
            'A range of the network type vlan needs the property "physical_network".',
            network_type=('vlan',),
            physical_network=missing,
        ),
        refuse(
            'A range that is not shared needs the property "project".',
            shared=(False,),
            project=missing,
        ),
    )
    attributes_schema = {
        'available': list_attribute('Ids that are free.'),
        'used': map_attribute('Map of the ids in use to the projects of their networks.'),
    }
