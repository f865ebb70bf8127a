"""OS::Neutron::TaaS::TapFlow."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedPattern, AllowedValues
from heat_lite.template.schema import string


class TapFlow(NeutronResource):
    """Traffic that is copied."""

    resource_type = 'OS::Neutron::TaaS::TapFlow'
    support_status = support.since('12.0.0')
    rest = Rest('neutron', '/taas/tap_flows', 'tap_flow', extension='taas')

    properties_schema = {
        'name': string(
            'Its name. Without one, one is made up from those of the stack and of the resource.', default='', update_allowed=True
        ),
        'port': string('The port whose traffic is copied, by name or id.', required=True, ref='neutron.port', wire='source_port'),
        'tap_service': string('Where the copies go, by name or id.', required=True, ref='neutron.taas.tap_service', wire='tap_service_id'),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'direction': string(
            'Which traffic is copied, seen from the port.', default='BOTH', constraints=[AllowedValues(['IN', 'OUT', 'BOTH'])]
        ),
        'vlan_filter': string('The VLANs that are copied.', constraints=[AllowedPattern('^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$')]),
    }
