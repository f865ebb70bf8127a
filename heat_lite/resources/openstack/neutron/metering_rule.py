"""OS::Neutron::MeteringRule."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, string, text


class MeteringRule(NeutronResource):
    """Which traffic is counted under a label."""

    resource_type = 'OS::Neutron::MeteringRule'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/metering/metering-label-rules', 'metering_label_rule')

    properties_schema = {
        'metering_label_id': string('The label, by its id.', required=True),
        'remote_ip_prefix': string('The addresses of the other side.', required=True),
        'direction': string('Which way the traffic goes.', default='ingress', constraints=[AllowedValues(['ingress', 'egress'])]),
        'excluded': boolean('Whether this traffic is not counted.', default='False'),
    }
    attributes_schema = {
        'direction': text('Which way the traffic goes.'),
        'excluded': text('Whether this traffic is not counted.'),
        'metering_label_id': text('The label, by its id.'),
        'remote_ip_prefix': text('The addresses of the other side.'),
    }
