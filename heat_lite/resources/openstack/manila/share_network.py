"""OS::Manila::ShareNetwork and OS::Manila::SecurityService."""

from heat_lite.common import exception, status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import empty, filled, needs, refuse
from heat_lite.template.schema import description_property, list_, name_property, string, text


def _refuse_other_subnet(read, resource):
    network, subnet = read('neutron_network'), read('neutron_subnet')
    if not network or not subnet:
        return
    clients = resource.stack.clients()
    found = clients.shown('neutron.subnet', subnet)
    if found['network_id'] != clients.find('neutron.network', network):
        raise exception.StackValidationFailed(
            'Provided neutron_subnet does not belong to provided neutron_network.'
        )


class ManilaShareNetwork(CloudResource):
    """A share network: the network over which shares are exported."""

    resource_type = 'OS::Manila::ShareNetwork'
    since = '5.0.0'
    rest = Rest('manila', '/share-networks', 'share_network')
    entity = 'share_networks'

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'neutron_network': string(
            'Neutron network of the share network, by name or id.',
            update_allowed=True,
            ref='neutron.network',
            wire='neutron_net_id',
        ),
        'neutron_subnet': string(
            'Neutron subnet of the share network, by name or id.',
            update_allowed=True,
            ref='neutron.subnet',
            wire='neutron_subnet_id',
        ),
        'nova_network': string(
            'Nova network, for clouds without Neutron.',
            update_allowed=True,
            history='hidden 21.0.0',
            sent=False,
        ),
        'security_services': list_(
            'Ids of the security services of the share network.',
            string(),
            default=[],
            update_allowed=True,
            sent=False,
        ),
    }
    property_rules = (
        refuse('Nova network is no longer supported', nova_network=filled),
        needs('neutron_network', 'neutron_subnet', filled, empty),
        _refuse_other_subnet,
    )
    attributes_schema = {
        'cidr': text('CIDR of the subnet.'),
        'ip_version': text('IP version of the network.'),
        'network_type': text('Type of the physical network, for example "vlan".'),
        'segmentation_id': text('Segmentation id of the network.'),
    }

    def follow_up(self, action, diff):
        if 'security_services' in diff:
            before = (
                set()
                if action == status.CREATE
                else set(self.stored_property('security_services') or ())
            )
            after = set(diff['security_services'] or ())
            for each in sorted(before - after):
                yield from self.delete_if_present(
                    self._request_action, 'remove_security_service', each
                )
            for each in sorted(after - before):
                yield from self.call_with_retry(self._request_action, 'add_security_service', each)

    def _request_action(self, action, service):
        self.client().request_json(
            'POST', f'{self.object_path()}/action', {action: {'security_service_id': service}}
        )


class SecurityService(CloudResource):
    """A security service, which authenticates the users of shares."""

    resource_type = 'OS::Manila::SecurityService'
    since = '5.0.0'
    rest = Rest('manila', '/security-services', 'security_service')
    entity = 'security_services'

    properties_schema = {
        'name': name_property(),
        'type': string(
            'Type of the security service.',
            required=True,
            allowed=['ldap', 'kerberos', 'active_directory'],
        ),
        'description': description_property(),
        'dns_ip': string('DNS server of the security service.', update_allowed=True),
        'domain': string('Domain of the security service.', update_allowed=True),
        'password': string('Password of the user of the security service.', update_allowed=True),
        'server': string('Host name or address of the security service.', update_allowed=True),
        'user': string('User of the security service.', update_allowed=True),
    }
