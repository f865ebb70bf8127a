"""OS::Neutron::TaaS::TapService."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import string


class TapService(NeutronResource):
    """Where copies of traffic are delivered."""

    resource_type = 'OS::Neutron::TaaS::TapService'
    support_status = support.since('12.0.0')
    rest = Rest('neutron', '/taas/tap_services', 'tap_service', extension='taas')

    properties_schema = {
        'name': string(
            'Its name. Without one, one is made up from those of the stack and of the resource.', default='', update_allowed=True
        ),
        'port': string('The port that gets the copies, by name or id.', required=True, ref='neutron.port', wire='port_id'),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
    }
