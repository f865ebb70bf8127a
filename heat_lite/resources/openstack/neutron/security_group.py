"""OS::Neutron::SecurityGroup."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import Rest, wired
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.resources.openstack.neutron.protocols import PROTOCOLS
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, map_, string

EGRESS, FAMILIES = 'egress', ('IPv4', 'IPv6')
RULES, RULE = '/security-group-rules', 'OS::Neutron::SecurityGroupRule'
FIELDS = ('direction', 'ethertype', 'protocol', 'port_range_min', 'port_range_max', 'remote_group_id', 'remote_ip_prefix', 'description')


class SecurityGroup(NeutronResource):
    """What traffic the ports that belong to it let through."""

    resource_type = 'OS::Neutron::SecurityGroup'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/security-groups', 'security_group', extension='security-group')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'rules': list_(
            'What is let through. With a rule for egress, the rules that let everything out go.',
            map_(
                None,
                {
                    'description': string('A text that says what the rule is for.', support=support.since('27.0.0')),
                    'direction': string(
                        'Which way the traffic goes, seen from the port.',
                        default='ingress',
                        constraints=[AllowedValues(['ingress', 'egress'])],
                    ),
                    'ethertype': string('The family of the addresses.', default='IPv4', constraints=[AllowedValues(['IPv4', 'IPv6'])]),
                    'port_range_max': integer(
                        'The last port number, or the code of an ICMP message.', constraints=[Range(min=0, max=65535)]
                    ),
                    'port_range_min': integer(
                        'The first port number, or the type of an ICMP message.', constraints=[Range(min=0, max=65535)]
                    ),
                    'protocol': string(
                        'The protocol, by name or number.',
                        constraints=[AllowedValues(PROTOCOLS)],
                    ),
                    'remote_group_id': string(
                        'The group that the other side belongs to; without it this very group.', ref='neutron.security_group'
                    ),
                    'remote_ip_prefix': string('The addresses of the other side.', constraints=[CustomConstraint('net_cidr')]),
                    'remote_mode': string(
                        'Whether the other side is told by addresses or by a group.',
                        default='remote_ip_prefix',
                        constraints=[AllowedValues(['remote_ip_prefix', 'remote_group_id'])],
                    ),
                },
            ),
            default=[],
            update_allowed=True,
            sent=False,
        ),
        'stateful': boolean(
            'Whether answers are let through because their questions were.', update_allowed=True, support=support.since('27.0.0')
        ),
    }

    def validate(self):
        super().validate()
        if self.properties['name'] == 'default':
            raise exception.StackValidationFailed('Security groups cannot be assigned the name "default".')

    def after(self, action, diff):
        yield from super().after(action, diff)
        if self.rules_changed(diff):
            yield from self._let_through(self._wanted())

    def rules_changed(self, diff):
        return 'rules' in diff

    def given_rules(self):
        """The rules of the template as the service takes them."""
        return [self._rule(wired(self.properties_schema['rules'].schema, each)) for each in self.properties['rules'] or ()]

    shown = {'rules': 'rules', **NeutronResource.shown}

    def as_told(self, found):
        """Its rules are as they were asked for where they let through the same; else those of the service stand for them. Further ones are
        well where it is not only this resource that says what is let through."""
        rules = found['security_group_rules']
        present, wanted = ({_essence(each) for each in some} for some in (rules, self._wanted()))
        same = wanted <= present if self.has_beside(RULE) or not self.held('rules') else wanted == present
        return {**super().as_told(found), 'rules': self.held('rules') if same else rules}

    def _wanted(self):
        """All rules. A new group lets everything out: that goes when the template says what may."""
        rules = self.given_rules()
        out = any(rule['direction'] == EGRESS for rule in rules)
        return rules if out else [*rules, *({'direction': EGRESS, 'ethertype': family} for family in FAMILIES)]

    def _rule(self, rule):
        mode = rule.pop('remote_mode')
        return rule if mode != 'remote_group_id' else {'remote_group_id': self.resource_id, **rule}

    def _let_through(self, wanted):
        """Only what has changed is touched, so that traffic that is let through before and after is never cut off."""
        present = {_essence(each): each['id'] for each in self.look()['security_group_rules']}
        keep, others = {_essence(rule) for rule in wanted}, self._others()
        for essence, rule_id in present.items():
            if essence not in keep and rule_id not in others:
                yield from self.take_away(self.client().delete, f'{RULES}/{rule_id}')
        for rule in wanted:
            if _essence(rule) not in present:
                yield from self._add({'security_group_id': self.resource_id, **rule})

    def _others(self):
        """The ids of rules that other resources of the template stand for."""
        names = [name for name, each in self.stack.definitions.items() if each.resource_type == RULE]
        return {self.stack.resource_for(name).resource_id for name in names}

    def _add(self, rule):
        with contextlib.suppress(errors.Conflict):  # it is there, in other words
            yield from self.ask(self.client().create, RULES, 'security_group_rule', rule)


def _essence(rule):
    return tuple('' if rule.get(name) is None else str(rule[name]) for name in FIELDS)
