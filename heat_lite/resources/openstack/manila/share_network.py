"""OS::Manila::ShareNetwork."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import list_, string, text


class ShareNetwork(CloudResource):
    """The network that shares are reached by."""

    resource_type = 'OS::Manila::ShareNetwork'
    support_status = support.since('5.0.0')
    rest = Rest('manila', '/share-networks', 'share_network')
    entity = 'share_networks'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'neutron_network': string('The network, by name or id.', update_allowed=True, ref='neutron.network', wire='neutron_net_id'),
        'neutron_subnet': string('The subnet, by name or id.', update_allowed=True, ref='neutron.subnet', wire='neutron_subnet_id'),
        'nova_network': string(
            'The network, where there is no Neutron.', update_allowed=True, support=support.hidden('21.0.0'), sent=False
        ),
        'security_services': list_('Who knows the users, by their ids.', string(), default=[], update_allowed=True, sent=False),
    }
    attributes_schema = {
        'cidr': text('The addresses of the subnet.'),
        'ip_version': text('The family of the addresses.'),
        'network_type': text('How the network is carried.'),
        'segmentation_id': text('The VLAN or tunnel number of the network.'),
    }

    def after(self, action, diff):
        if 'security_services' in diff:
            before = set() if action == status.CREATE else set(self.held('security_services') or ())
            after = set(diff['security_services'] or ())
            for each in sorted(before - after):
                yield from self.take_away(self._tell, 'remove_security_service', each)
            for each in sorted(after - before):
                yield from self.ask(self._tell, 'add_security_service', each)

    def _tell(self, verb, service):
        self.client().ask('POST', f'{self.object_path()}/action', {verb: {'security_service_id': service}})
