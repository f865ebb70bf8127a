"""OS::Neutron::Port."""

import json

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources import observing
from heat_lite.resources.cloud import Rest, wired
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import boolean, boolean_attribute, list_, list_attribute, map_, map_attribute, string, text

#: where it remembers addresses that it has let go for the port that comes instead
LENT = 'lent_addresses'


class Port(NeutronResource):
    """A place on a network where something is plugged in, with its addresses."""

    resource_type = 'OS::Neutron::Port'
    rest = Rest('neutron', '/ports', 'port', ready=('ACTIVE', 'DOWN'))

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'network': string(
            'The network, by name or id.', required=True, ref='neutron.network', support=support.since('2014.2'), wire='network_id'
        ),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'allowed_address_pairs': list_(
            'Further addresses that what is plugged in may use.',
            map_(
                None,
                {
                    'ip_address': string('The address, or address/bits.', required=True, constraints=[CustomConstraint('ip_or_cidr')]),
                    'mac_address': string(
                        'The address on layer 2, where it is another than that of the port.', constraints=[CustomConstraint('mac_addr')]
                    ),
                },
            ),
            update_allowed=True,
        ),
        'binding:vnic_type': string(
            'The kind of network card.',
            default='normal',
            update_allowed=True,
            constraints=[AllowedValues(['normal', 'direct', 'macvtap', 'direct-physical', 'baremetal', 'virtio-forwarder', 'smart-nic'])],
            support=support.since('2015.1'),
        ),
        'device_id': string('The id of what uses it.', default='', update_allowed=True),
        'device_owner': string('What kind of thing uses it.', default='', update_allowed=True),
        'dns_name': string(
            'Its name in the DNS.', update_allowed=True, constraints=[CustomConstraint('dns_name')], support=support.since('7.0.0')
        ),
        'fixed_ips': list_(
            'Its addresses; without them it gets one of each family.',
            map_(
                None,
                {
                    'ip_address': string('The address; without one, any of the subnet.', constraints=[CustomConstraint('ip_addr')]),
                    'subnet': string('The subnet of the address.', ref='neutron.subnet', support=support.since('2014.2'), wire='subnet_id'),
                    'subnet_id': string(
                        ref='neutron.subnet', support=support.hidden('5.0.0', previous=support.deprecated('2014.2 ')), alias_of='subnet'
                    ),
                },
            ),
            update_allowed=True,
        ),
        'mac_address': string('Its address on layer 2.', constraints=[CustomConstraint('mac_addr')]),
        'network_id': string(
            ref='neutron.network', support=support.hidden('5.0.0', previous=support.deprecated('2014.2')), alias_of='network'
        ),
        'no_fixed_ips': boolean(
            'Whether it has no address at all.', default=False, update_allowed=True, support=support.since('16.0.0'), sent=False
        ),
        'port_security_enabled': boolean(
            'Whether addresses of ports are guarded against spoofing.', update_allowed=True, support=support.since('5.0.0')
        ),
        'propagate_uplink_status': boolean(
            'Whether what is plugged in learns that the link of the host is down.', update_allowed=True, support=support.since('15.0.0')
        ),
        'qos_policy': string(
            'The QoS policy that applies to it, by name or id.',
            update_allowed=True,
            ref='neutron.qos_policy',
            support=support.since('6.0.0'),
            wire='qos_policy_id',
        ),
        'replacement_policy': string(
            'Whether an update always replaces it.',
            default='AUTO',
            update_allowed=True,
            constraints=[AllowedValues(['REPLACE_ALWAYS', 'AUTO'])],
            support=support.hidden('9.0.0', previous=support.deprecated('6.0.0', previous='2014.2')),
            sent=False,
        ),
        'security_groups': list_('Its security groups, by names or ids.', update_allowed=True, resolves='neutron.security_group'),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('9.0.0'), sent=False),
        'value_specs': map_(
            'Further keys for the request, for what extensions of the service understand.', default={}, update_allowed=True, sent=False
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'allowed_address_pairs': list_attribute('Further addresses that what is plugged in may use.'),
        'device_id': text('The id of what uses it.'),
        'device_owner': text('What kind of thing uses it.'),
        'dns_assignment': map_attribute('Its names in the DNS.', support=support.since('7.0.0')),
        'fixed_ips': list_attribute('Its addresses; without them it gets one of each family.'),
        'mac_address': text('Its address on layer 2.'),
        'name': text('Its name.'),
        'network': map_attribute('Its network.', support=support.since('11.0.0')),
        'network_id': text('The id of its network.'),
        'port_security_enabled': boolean_attribute(
            'Whether addresses of ports are guarded against spoofing.', support=support.since('5.0.0')
        ),
        'propagate_uplink_status': boolean_attribute(
            'Whether what is plugged in learns that the link of the host is down.', support=support.since('15.0.0')
        ),
        'qos_policy_id': text('The id of its QoS policy.', support=support.since('6.0.0')),
        'security_groups': list_attribute('The ids of its security groups.'),
        'status': text('Its status.'),
        'subnets': list_attribute('The subnets of its addresses.'),
        'tenant_id': text('The project that owns it.'),
    }

    def validate(self):
        super().validate()
        if self.properties['no_fixed_ips'] and self.properties['fixed_ips']:
            raise exception.ResourcePropertyConflict('no_fixed_ips', 'fixed_ips')

    def implied_dependencies(self, others):
        """The subnets of its network: without one of them it gets no address."""
        network = neighbours.own(self, 'network', 'network_id')
        return neighbours.subnets_of(self, others, network)

    def body(self, values):
        values = {name: value for name, value in super().body(values).items() if value != ''}
        if self.properties['no_fixed_ips']:
            values['fixed_ips'] = []
        return values

    def changes(self, changed, diff):
        if diff.get('no_fixed_ips'):
            changed['fixed_ips'] = []
        elif changed.get('fixed_ips', True) is None:
            del changed['fixed_ips']  # it keeps what it has
        if changed.get('allowed_address_pairs', True) is None:
            changed['allowed_address_pairs'] = []
        if changed.get('security_groups', True) is None:
            changed['security_groups'] = self._usual_groups()
        return super().changes(changed, diff)

    def prepare_for_replace(self, definition):
        """A generator: it lets its addresses go where the port that comes instead wants one of them."""
        wanted = {each['ip_address'] for each in self.properties_of(definition)['fixed_ips'] or () if each['ip_address']}
        if self.resource_id is None or not wanted:
            return
        try:
            addresses = (yield from self.ask(self.look))['fixed_ips']
        except errors.NotFound:
            return
        if wanted & {each['ip_address'] for each in addresses}:
            self.data_set(LENT, json.dumps(addresses))
            yield from self.change({'fixed_ips': []})

    def needs_update(self, definition):
        """A port that was to be replaced, and was not, gets back what it had lent."""
        return LENT in self.data() or super().needs_update(definition)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        lent = self.data().get(LENT)
        if lent and 'fixed_ips' not in prop_diff:
            yield from self.change({'fixed_ips': json.loads(lent)})
        if lent:
            self.data_delete(LENT)
        yield from super().handle_update(definition, tmpl_diff, prop_diff)

    def _usual_groups(self):
        """What a new port would get."""
        project = self.look()['tenant_id']
        return [each['id'] for each in self.client().list('/security-groups', 'security_groups', name='default', tenant_id=project)]

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        return after_properties['replacement_policy'] == 'REPLACE_ALWAYS'

    def as_told(self, found):
        """Subnets of IPv6 may give it further addresses, which nobody asked for."""
        found = super().as_told(found)
        wanted, there = self.held('fixed_ips'), found.get('fixed_ips')
        if not wanted or not there or not observing.is_among(self.properties_schema['fixed_ips'], wanted, there):
            return found
        return {**found, 'fixed_ips': wired(self.properties_schema['fixed_ips'], wanted)}

    def resolve_attribute(self, name):
        shown = self.show() or {}
        if name == 'network' and shown:
            return self.client().show(f'/networks/{shown["network_id"]}', 'network')
        if name == 'subnets' and shown:
            ids = dict.fromkeys(each['subnet_id'] for each in shown.get('fixed_ips') or ())
            return [self.client().show(f'/subnets/{each}', 'subnet') for each in ids]
        return super().resolve_attribute(name)
