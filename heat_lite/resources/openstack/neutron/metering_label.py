"""OS::Neutron::MeteringLabel."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, string, text


class MeteringLabel(NeutronResource):
    """What traffic is counted under."""

    resource_type = 'OS::Neutron::MeteringLabel'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/metering/metering-labels', 'metering_label')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'description': string('A text that says what it is for.'),
        'shared': boolean('Whether other projects may use it.', default=False, support=support.since('2015.1')),
    }
    attributes_schema = {
        'description': text('Its description.'),
        'name': text('Its name.'),
        'shared': text('Whether other projects may use it.'),
    }
