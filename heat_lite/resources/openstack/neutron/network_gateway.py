"""OS::Neutron::NetworkGateway."""

from heat_lite.common import status
from heat_lite.resources.cloud import Rest, wired
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.schema import integer, list_, map_, string, text


class NetworkGateway(NeutronResource):
    """What connects networks with what is outside, by devices of its own."""

    resource_type = 'OS::Neutron::NetworkGateway'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/network-gateways', 'network_gateway', extension='network-gateway')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'devices': list_(
            'The devices.',
            map_(
                None,
                {
                    'id': string('The id of the device.', required=True),
                    'interface_name': string('The name of its interface.', required=True),
                },
            ),
            required=True,
            update_allowed=True,
            constraints=[Length(min=1)],
        ),
        'connections': list_(
            'The networks that it connects.',
            map_(
                None,
                {
                    'network': string(
                        'The network, by name or id.',
                        required=True,
                        ref='neutron.network',
                        support=support.since('2014.2'),
                        wire='network_id',
                    ),
                    'network_id': string(
                        ref='neutron.network', support=support.hidden('5.0.0', previous=support.deprecated('2014.2')), alias_of='network'
                    ),
                    'segmentation_id': integer('The VLAN number.', constraints=[Range(min=0, max=4094)]),
                    'segmentation_type': string(
                        'How packets of the network are told from others.', default='flat', constraints=[AllowedValues(['flat', 'vlan'])]
                    ),
                },
            ),
            default={},
            update_allowed=True,
            sent=False,
        ),
    }
    attributes_schema = {
        'default': text('Whether it is the one that the service chose.'),
    }

    def after(self, action, diff):
        yield from super().after(action, diff)
        if 'connections' in diff:
            before = [] if action == status.CREATE else self._wired(self.held('connections'))
            after = self._wired(diff['connections'])
            yield from self._tell('disconnect_network', [each for each in before if each not in after])
            yield from self._tell('connect_network', [each for each in after if each not in before])

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._tell('disconnect_network', self._wired(self.held('connections')))
            yield from super().handle_delete()

    def _wired(self, connections):
        return wired(self.properties_schema['connections'], list(connections or ()))

    def _tell(self, verb, connections):
        for each in connections:
            yield from self.take_away(self.client().ask, 'PUT', f'{self.object_path()}/{verb}', each)
