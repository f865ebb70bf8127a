"""OS::Neutron::L2Gateway."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string


class L2Gateway(NeutronResource):
    """What connects networks with devices outside on layer 2."""

    resource_type = 'OS::Neutron::L2Gateway'
    support_status = support.since('12.0.0')
    rest = Rest('neutron', '/l2-gateways', 'l2_gateway', extension='l2-gateway')

    properties_schema = {
        'name': string('Its name.', required=True, update_allowed=True),
        'devices': list_(
            'The devices.',
            map_(
                None,
                {
                    'device_name': string('The name of the device.', required=True),
                    'interfaces': list_(
                        'Its interfaces.',
                        map_(
                            None, {'name': string('The name of the interface.', required=True), 'segmentation_id': list_('Its segments.')}
                        ),
                        required=True,
                    ),
                },
            ),
            required=True,
            update_allowed=True,
        ),
    }
