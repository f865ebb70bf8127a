"""OS::Neutron::MeteringLabel."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import boolean, description_property, name_property, text


class MeteringLabel(NeutronResource):
    """A metering label: a counter of traffic."""

    resource_type = 'OS::Neutron::MeteringLabel'
    since = '2014.1'
    rest = Rest('neutron', '/metering/metering-labels', 'metering_label')

    properties_schema = {
        'name': name_property(update_allowed=False),
        'description': description_property(update_allowed=False),
        'shared': boolean(
            'Whether the label counts the traffic of all projects.', default=False, since='2015.1'
        ),
    }
    attributes_schema = {
        'description': text('Description of the metering label.'),
        'name': text('Name of the metering label.'),
        'shared': text('Whether the metering label is shared.'),
    }
