"""OS::Neutron::Port and OS::Neutron::Trunk."""

import json

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base import live_state
from heat_lite.resources.base.live_state import to_wire
from heat_lite.resources.base.property_rules import conflict, filled
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    PROFILE,
    NeutronResource,
    merged_profile,
    needs_extension,
    neutron_rest,
    project_property,
    tags_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    OURS,
    alias,
    boolean,
    boolean_attribute,
    description_property,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    reference,
    string,
    switch,
    text,
)

#: what Nova and others write into a port
DEVICE = ('device_id', 'device_owner')
DHCP_OPTIONS = 'extra_dhcp_opts'
#: key in the data of the resource: the addresses that the replacing port needs
RELEASED = 'lent_addresses'


class Port(NeutronResource):
    """A port: the connection of a device to a network."""

    resource_type = 'OS::Neutron::Port'
    released_key = RELEASED
    rest = neutron_rest('/ports', 'port', ready=('ACTIVE', 'DOWN'), mark=MARK)

    properties_schema = {
        'name': name_property(),
        'network': reference(
            'neutron.network', 'Network of the port, by name or id.', required=True, since='2014.2'
        ),
        'admin_state_up': switch('Administrative state of the port.'),
        'allowed_address_pairs': list_(
            'Additional addresses that the device may use on the port.',
            {
                'ip_address': string(
                    'IP address or CIDR that is allowed.', required=True, custom='ip_or_cidr'
                ),
                'mac_address': string(
                    'MAC address of the pair. If omitted, that of the port.', custom='mac_addr'
                ),
            },
            update_allowed=True,
        ),
        'binding:host_id': string(
            'Host of the device. Requires administrator rights.', update_allowed=True, since=OURS
        ),
        PROFILE: map_(
            'Data for the host of the device. Further keys, of Nova or others, stay. Requires the '
            'rights of a service.',
            update_allowed=True,
            since=OURS,
        ),
        'binding:vnic_type': string(
            'Type of the virtual network interface.',
            default='normal',
            update_allowed=True,
            allowed=[
                'normal',
                'direct',
                'macvtap',
                'direct-physical',
                'baremetal',
                'virtio-forwarder',
                'smart-nic',
            ],
            ours=['accelerator-direct', 'accelerator-direct-physical', 'remote-managed', 'vdpa'],
            since='2015.1',
        ),
        'description': description_property(since=OURS),
        'device_id': string(
            'Id of the device that uses the port.', default='', update_allowed=True
        ),
        'device_owner': string(
            'Type of the device that uses the port.', default='', update_allowed=True
        ),
        'device_profile': string(
            'Device profile of the accelerators of the port, by name.', since=OURS
        ),
        'dns_domain': string(
            'DNS domain of the port, with a trailing dot.',
            update_allowed=True,
            custom='dns_domain',
            since=OURS,
        ),
        'dns_name': string(
            'DNS name of the port.', update_allowed=True, custom='dns_name', since='7.0.0'
        ),
        DHCP_OPTIONS: list_(
            'DHCP options for the device.',
            {
                'opt_name': string('Name of the DHCP option.', required=True),
                'opt_value': string('Value of the DHCP option.', required=True),
                'ip_version': integer('IP version of the option.', default=4, allowed=[4, 6]),
            },
            update_allowed=True,
            since=OURS,
        ),
        'fixed_ips': list_(
            'Fixed IP addresses of the port. If omitted, Neutron allocates one for each IP '
            'version.',
            {
                'ip_address': string(
                    'Fixed IP address. If omitted, Neutron allocates one of the subnet.',
                    custom='ip_addr',
                ),
                'subnet': reference(
                    'neutron.subnet',
                    'Subnet of the fixed IP address, by name or id.',
                    since='2014.2',
                ),
                'subnet_id': alias('subnet', 'neutron.subnet', 'hidden 5.0.0, deprecated 2014.2 '),
            },
            update_allowed=True,
        ),
        'mac_address': string('MAC address of the port.', custom='mac_addr'),
        'network_id': alias('network', 'neutron.network'),
        'no_fixed_ips': switch(
            'Whether the port gets no fixed IP address.', default=False, since='16.0.0', sent=False
        ),
        'numa_affinity_policy': string(
            'How strictly the device has to be on the NUMA nodes of the server.',
            update_allowed=True,
            allowed=['required', 'preferred', 'legacy', 'socket'],
            since=OURS,
        ),
        'port_security_enabled': boolean(
            'Whether port security is enabled on the port.', update_allowed=True, since='5.0.0'
        ),
        'project': project_property('port', since=OURS),
        'propagate_uplink_status': boolean(
            'Whether the port shows the state of the uplink to the device.',
            update_allowed=True,
            since='15.0.0',
        ),
        'qos_policy': reference(
            'neutron.qos_policy',
            'QoS policy of the port, by name or id.',
            update_allowed=True,
            since='6.0.0',
        ),
        'replacement_policy': string(
            'Policy for updates of the port: REPLACE_ALWAYS replaces it, AUTO updates it if '
            'possible.',
            default='AUTO',
            update_allowed=True,
            allowed=['REPLACE_ALWAYS', 'AUTO'],
            history='hidden 9.0.0, deprecated 6.0.0, supported 2014.2',
            sent=False,
        ),
        'security_groups': list_(
            'Security groups of the port, by name or id.',
            update_allowed=True,
            resolves='neutron.security_group',
        ),
        'tags': tags_property('port'),
        'value_specs': value_specs_property('port', update_allowed=True),
    }
    property_rules = (
        conflict('fixed_ips', 'no_fixed_ips', test=filled),
        *needs_extension('extra_dhcp_opt', DHCP_OPTIONS),
        *needs_extension('port-device-profile', 'device_profile'),
        *needs_extension('dns-domain-ports', 'dns_domain'),
        *needs_extension('port-numa-affinity-policy', 'numa_affinity_policy'),
    )
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the port.',
        'allowed_address_pairs': list_attribute('Allowed address pairs that Neutron shows.'),
        'device_id': 'Id of the device that Neutron shows.',
        'device_owner': 'Type of the device that Neutron shows.',
        'dns_assignment': map_attribute(
            'DNS names that Neutron has assigned to the port.', since='7.0.0'
        ),
        'fixed_ips': list_attribute('Fixed IP addresses that Neutron shows.'),
        'mac_address': 'MAC address that Neutron shows.',
        'name': 'Name of the port.',
        'network': map_attribute('Network of the port, with its values.', since='11.0.0'),
        'network_id': 'Id of the network of the port.',
        'port_security_enabled': boolean_attribute(
            'Whether Neutron shows port security as enabled.', since='5.0.0'
        ),
        'propagate_uplink_status': boolean_attribute(
            'Whether Neutron propagates the state of the uplink.', since='15.0.0'
        ),
        'qos_policy_id': text('Id of the QoS policy of the port.', since='6.0.0'),
        'security_groups': list_attribute('Ids of the security groups of the port.'),
        'status': 'Status of the port.',
        'subnets': list_attribute('Subnets of the fixed IP addresses.'),
        'tenant_id': 'Id of the project that owns the port.',
    }

    def implied_dependencies(self, others):
        """Return the subnets of the network: without subnets the port gets no address."""
        network = implied_dependencies.own(self, 'network', 'network_id')
        return implied_dependencies.subnets_of(self, others, network)

    def body(self, values):
        values = {name: value for name, value in super().body(values).items() if value != ''}
        if self.properties['no_fixed_ips']:
            values['fixed_ips'] = []
        return values

    def changes(self, changed, diff):
        if diff.get('no_fixed_ips'):
            changed['fixed_ips'] = []
        elif changed.get('fixed_ips', True) is None:
            del changed['fixed_ips']  # an update without fixed_ips keeps the addresses
        if changed.get('security_groups', True) is None:
            changed['security_groups'] = self._default_security_groups()
        if PROFILE in diff:
            before = self.stored_property(PROFILE) or {}
            changed[PROFILE] = merged_profile(before, diff[PROFILE] or {}, self.fetch())
        if DHCP_OPTIONS in diff:
            changed[DHCP_OPTIONS] = self._changed_options(changed[DHCP_OPTIONS] or [])
        return super().changes(changed, diff)

    def _changed_options(self, wanted):
        """Return the options of an update: a null removes one; one that is left out stays."""
        kept = {(each['opt_name'], each['ip_version']) for each in wanted}
        present = self.fetch()[DHCP_OPTIONS]
        return wanted + [
            {**each, 'opt_value': None}
            for each in present
            if (each['opt_name'], each['ip_version']) not in kept
        ]

    def prepare_for_replace(self, definition):
        """A generator: release the addresses if the replacing port needs one of them."""
        wanted = {
            each['ip_address']
            for each in self.properties_of(definition)['fixed_ips'] or ()
            if each['ip_address']
        }
        if self.resource_id is None or not wanted:
            return
        try:
            addresses = (yield from self.call_with_retry(self.fetch))['fixed_ips']
        except errors.NotFound:
            return
        if wanted & {each['ip_address'] for each in addresses}:
            self.data_set(RELEASED, json.dumps(addresses))
            yield from self.update_object({'fixed_ips': []})

    def handle_update(self, definition, tmpl_diff, prop_diff):
        released = self.data().get(RELEASED)
        if released and 'fixed_ips' not in prop_diff:
            yield from self.update_object({'fixed_ips': json.loads(released)})
        if released:
            self.data_delete(RELEASED)
        yield from super().handle_update(definition, tmpl_diff, prop_diff)

    def _default_security_groups(self):
        """Return the id of the default security group of the project, in a list."""
        project = self.fetch()['tenant_id']
        return [
            each['id']
            for each in self.client().list(
                '/security-groups', 'security_groups', name='default', tenant_id=project
            )
        ]

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        return after_properties['replacement_policy'] == 'REPLACE_ALWAYS'

    def is_described(self, found):
        """Return False for a port of Neutron itself, or of a load balancer."""
        owner = found.get('device_owner') or ''
        return not owner or owner.startswith(('compute:', 'trunk:'))

    def described(self, found):
        described = super().described(found)
        return {name: value for name, value in described.items() if name not in DEVICE}

    def normalize(self, found):
        """Ignore addresses that IPv6 subnets have added by themselves."""
        found = super().normalize(found)
        wanted, shown = self.stored_property('fixed_ips'), found.get('fixed_ips')
        if (
            not wanted
            or not shown
            or not live_state.contains_all(self.properties_schema['fixed_ips'], wanted, shown)
        ):
            return found
        return {**found, 'fixed_ips': to_wire(self.properties_schema['fixed_ips'], wanted)}

    def resolve_attribute(self, name):
        shown = self.show() or {}
        if name == 'network' and shown:
            return self.client().show(f'/networks/{shown["network_id"]}', 'network')
        if name == 'subnets' and shown:
            ids = dict.fromkeys(each['subnet_id'] for each in shown.get('fixed_ips') or ())
            return [self.client().show(f'/subnets/{each}', 'subnet') for each in ids]
        return super().resolve_attribute(name)


SUB_PORT = ('port_id', 'segmentation_id', 'segmentation_type')


class Trunk(NeutronResource):
    """A trunk: a parent port that carries the traffic of subports."""

    resource_type = 'OS::Neutron::Trunk'
    since = '9.0.0'
    rest = neutron_rest(
        '/trunks', 'trunk', 'trunk', ready=('ACTIVE', 'DOWN'), failed=('ERROR', 'DEGRADED')
    )

    properties_schema = {
        'name': name_property(),
        'port': reference(
            'neutron.port',
            'Parent port of the trunk, by name or id.',
            required=True,
            immutable=True,
        ),
        'admin_state_up': boolean('Administrative state of the trunk.', update_allowed=True),
        'description': description_property(),
        'project': project_property('trunk', since=OURS),
        'sub_ports': list_(
            'Subports of the trunk.',
            {
                'port': reference(
                    'neutron.port', 'Port of the subport, by name or id.', required=True
                ),
                'segmentation_id': integer(
                    'Segmentation id of the subport.', required=True, min=1, max=4094
                ),
                'segmentation_type': string(
                    'Segmentation type of the subport.', required=True, allowed=['vlan']
                ),
            },
            update_allowed=True,
        ),
        'tags': tags_property('trunk', since=OURS),
    }
    attributes_schema = {'port_id': 'Id of the parent port.'}

    def changes(self, changed, diff):
        """A generator: add and remove subports, which have requests of their own."""
        changed.pop('sub_ports', None)
        return super().changes(changed, diff)

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if action == status.UPDATE and 'sub_ports' in diff:
            yield from self._update_subports(diff['sub_ports'] or [])

    def _update_subports(self, ports):
        wanted = to_wire(self.properties_schema['sub_ports'], ports)
        present = [{name: each[name] for name in SUB_PORT} for each in self.fetch()['sub_ports']]
        removed = [{'port_id': each['port_id']} for each in present if each not in wanted]
        if removed:
            yield from self.send(
                'PUT', f'{self.object_path()}/remove_subports', {'sub_ports': removed}
            )
        new = [each for each in wanted if each not in present]
        if new:
            yield from self.send('PUT', f'{self.object_path()}/add_subports', {'sub_ports': new})
