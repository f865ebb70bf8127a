"""OS::Neutron::SecurityGroup and OS::Neutron::SecurityGroupRule."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.live_state import comparable_text, to_wire
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import above, but, conflict, for_each, refuse
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    needs_extension,
    neutron_rest,
    project_property,
    tags_property,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer,
    list_,
    name_property,
    reference,
    string,
)

PROTOCOL_NAMES = (
    'ah dccp egp esp gre icmp icmpv6 igmp ipv6-encap ipv6-frag ipv6-icmp '
    'ipv6-nonxt ipv6-opts ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp'
).split()
#: all protocol numbers of IP, and the names that Neutron knows
PROTOCOLS = [*range(256), *PROTOCOL_NAMES]


EGRESS, FAMILIES = 'egress', ('IPv4', 'IPv6')
DEFAULT_RULES = tuple({'direction': EGRESS, 'ethertype': family} for family in FAMILIES)
STATEFUL, STATEFUL_EXTENSION = 'stateful', 'stateful-security-group'
ADDRESS_GROUPS = 'security-groups-remote-address-group'
DELETE_DEFAULT = 'delete_default_rules'
RULES, RULE = '/security-group-rules', 'OS::Neutron::SecurityGroupRule'
REMOTE_ADDRESSES = 'remote_address_group_id'
FIELDS = (
    'direction',
    'ethertype',
    'protocol',
    'port_range_min',
    'port_range_max',
    'remote_group_id',
    'remote_ip_prefix',
    'description',
    REMOTE_ADDRESSES,
)


def port_range(noun):
    """Return the properties of the ports, or the ICMP code and type, of a rule."""
    texts = {
        'port_range_max': f'Last port number, or ICMP code, of the {noun}.',
        'port_range_min': f'First port number, or ICMP type, of the {noun}.',
    }
    return {name: integer(text, min=0, max=65535) for name, text in texts.items()}


class SecurityGroup(NeutronResource):
    """A security group."""

    resource_type = 'OS::Neutron::SecurityGroup'
    since = '2014.1'
    rest = neutron_rest('/security-groups', 'security_group', 'security-group', mark=MARK)

    properties_schema = {
        'name': name_property(),
        DELETE_DEFAULT: boolean(
            'Whether a group without rules for egress allows none, too.',
            update_allowed=True,
            since=OURS,
            sent=False,
        ),
        'description': description_property(),
        'project': project_property('security group', since=OURS),
        'rules': list_(
            'Rules of the security group. A rule for egress replaces the default rules that '
            'allow all egress.',
            {
                'description': string('Description of the rule.', since='27.0.0'),
                'direction': string(
                    'Direction of the traffic of the rule, from the point of view of the port.',
                    default='ingress',
                    allowed=['ingress', 'egress'],
                ),
                'ethertype': string(
                    'Ethertype of the rule: IPv4 or IPv6.',
                    default='IPv4',
                    allowed=['IPv4', 'IPv6'],
                ),
                **port_range('rule'),
                'protocol': string('Protocol of the rule, by name or number.', allowed=PROTOCOLS),
                REMOTE_ADDRESSES: string(
                    'Remote address group of the rule, by name or id.',
                    ref='neutron.address_group',
                    since=OURS,
                ),
                'remote_group_id': reference(
                    'neutron.security_group',
                    'Remote security group of the rule. If omitted, the group itself.',
                ),
                'remote_ip_prefix': string(
                    'CIDR of the remote end of the rule.', custom='net_cidr'
                ),
                'remote_mode': string(
                    'Whether the remote end is a CIDR or a security group.',
                    default='remote_ip_prefix',
                    allowed=['remote_ip_prefix', 'remote_group_id'],
                ),
            },
            default=[],
            update_allowed=True,
            sent=False,
        ),
        'stateful': boolean(
            'Whether Neutron tracks connections for the rules.', update_allowed=True, since='27.0.0'
        ),
        'tags': tags_property('security group', since=OURS),
    }
    property_rules = (
        refuse('Security groups cannot be assigned the name "default".', name=('default',)),
        refuse(
            'Neutron does not support stateless security groups; remove the "stateful" property or '
            'set it to true.',
            lambda group: group.missing_extension(STATEFUL_EXTENSION),
            stateful=(False,),
        ),
        for_each('rules', *needs_extension(ADDRESS_GROUPS, REMOTE_ADDRESSES)),
    )

    def update_object(self, values):
        try:
            yield from super().update_object(values)
        except errors.Conflict as error:
            if STATEFUL not in values:
                raise
            change = f'A change of "{STATEFUL}" while ports use the group (detach them first)'
            raise exception.NotSupported(feature=change) from error

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if self.rules_changed(diff):
            yield from self._update_rules(self._wanted_rules())

    def rules_changed(self, diff):
        return 'rules' in diff or DELETE_DEFAULT in diff

    def template_rules(self):
        """Return the rules of the template in the form of the request."""
        return [
            self._rule(to_wire(self.properties_schema['rules'].schema, each))
            for each in self.properties['rules'] or ()
        ]

    observed_keys = {'rules': 'rules', **NeutronResource.observed_keys}

    def normalize(self, found):
        """Return the group with comparable rules.

        Rules that allow the same traffic as those of the property are shown as the property has
        them. Additional rules are no difference if other resources or users may add rules to the
        group.
        """
        rules = found['security_group_rules']
        present, wanted = (
            {_rule_key(each) for each in some} for some in (rules, self._wanted_rules())
        )
        same = (
            wanted <= present
            if self.template_has_type(RULE)
            or not (self.stored_property('rules') or self._has_no_default_rules())
            else wanted == present
        )
        return {
            **super().normalize(found),
            'rules': self.stored_property('rules') if same else rules,
        }

    def described(self, found):
        shown = found['security_group_rules']
        rules = self.described_rules(shown)
        described = {**super().described(found), **({'rules': rules} if rules else {})}
        if DELETE_DEFAULT in self.properties_schema and not any(map(_is_egress, shown)):
            described[DELETE_DEFAULT] = True
        return described

    def is_described(self, found):
        return found['name'] != 'default'

    def described_rules(self, shown):
        """Return rules as the property has them, without those that a new group has anyway."""
        egress = list(filter(_is_egress, shown))
        if {_rule_key(each) for each in egress} == {_rule_key(each) for each in DEFAULT_RULES}:
            shown = [each for each in shown if each not in egress]
        return [self._described_rule(each) for each in shown]

    def _described_rule(self, rule):
        names = self.properties_schema['rules'].schema.schema
        found = {name: rule[name] for name in names if rule.get(name) not in (None, '')}
        if 'remote_group_id' in found:
            found['remote_mode'] = 'remote_group_id'
            if found['remote_group_id'] == self.resource_id:
                del found['remote_group_id']
        return found

    def _wanted_rules(self):
        """Return the rules that the group must have.

        A new group allows all egress. These default rules stay if the template has no rules for
        egress.
        """
        rules = self.template_rules()
        if any(map(_is_egress, rules)) or self._has_no_default_rules():
            return rules
        return [*rules, *DEFAULT_RULES]

    def _has_no_default_rules(self):
        return DELETE_DEFAULT in self.properties_schema and self.properties[DELETE_DEFAULT]

    def _rule(self, rule):
        mode = rule.pop('remote_mode')
        return rule if mode != 'remote_group_id' else {'remote_group_id': self.resource_id, **rule}

    def _update_rules(self, wanted):
        """A generator: create and delete only the rules that differ.

        Traffic that is allowed before and after is never blocked.
        """
        present = {_rule_key(each): each['id'] for each in self.fetch()['security_group_rules']}
        keep, others = {_rule_key(rule) for rule in wanted}, self._rules_of_other_resources()
        for key, rule_id in present.items():
            if key not in keep and rule_id not in others:
                yield from self.delete_path(f'{RULES}/{rule_id}')
        missing = {_rule_key(rule): rule for rule in wanted if _rule_key(rule) not in present}
        yield from self._create_rules(
            [{'security_group_id': self.resource_id, **rule} for rule in missing.values()]
        )

    def _rules_of_other_resources(self):
        """Return the ids of the rules that other resources of the template manage."""
        names = [
            name for name, each in self.stack.definitions.items() if each.resource_type == RULE
        ]
        return {self.stack.resource_for(name).resource_id for name in names}

    def _create_rules(self, rules):
        """A generator: create rules by one request, but one by one if an equivalent exists.

        Neutron creates all rules of a request or none.
        """
        try:
            if rules:
                create = self.client().create
                yield from self.call_with_retry(create, RULES, 'security_group_rules', rules)
        except errors.Conflict as error:
            if error.service_message.startswith('Quota'):
                raise
            for rule in rules if len(rules) > 1 else ():
                yield from self._create_rules([rule])


def _is_egress(rule):
    return rule['direction'] == EGRESS


def _rule_key(rule):
    return tuple(comparable_text(rule.get(name)) for name in FIELDS)


class SecurityGroupRule(DeletedFirst, NeutronResource):
    """A rule of a security group."""

    resource_type = 'OS::Neutron::SecurityGroupRule'
    since = '7.0.0'
    rest = neutron_rest('/security-group-rules', 'security_group_rule', 'security-group')

    properties_schema = {
        'security_group': reference(
            'neutron.security_group', 'Security group of the rule, by name or id.', required=True
        ),
        'description': description_property(update_allowed=False),
        'direction': string(
            'Direction of the traffic, from the point of view of the port.',
            default='ingress',
            allowed=['ingress', 'egress'],
        ),
        'ethertype': string(
            'Ethertype of the traffic: IPv4 or IPv6.', default='IPv4', allowed=['IPv4', 'IPv6']
        ),
        **port_range('traffic'),
        'protocol': string(
            'Protocol of the traffic, by name or number.', default='tcp', allowed=PROTOCOLS
        ),
        'project': project_property('security group rule', since=OURS),
        'remote_address_group': string(
            'Remote address group of the traffic, by name or id.',
            ref='neutron.address_group',
            since=OURS,
            wire=REMOTE_ADDRESSES,
        ),
        'remote_group': reference(
            'neutron.security_group', 'Remote security group of the traffic, by name or id.'
        ),
        'remote_ip_prefix': string(
            'CIDR of the remote end of the traffic that the rule allows.', custom='net_cidr'
        ),
    }
    property_rules = (
        conflict('remote_group', 'remote_ip_prefix'),
        conflict('remote_group', 'remote_address_group'),
        conflict('remote_address_group', 'remote_ip_prefix'),
        refuse(
            'The minimum port number must be less than or equal to the maximum port number.',
            protocol=but('icmp', 'icmpv6', 'ipv6-icmp'),
            port_range_min=above('port_range_max'),
        ),
        *needs_extension(ADDRESS_GROUPS, 'remote_address_group'),
    )

    unique_by = tuple(name for name in properties_schema if name not in ('description', 'project'))

    def objects(self):
        return {}  # the groups show their rules
