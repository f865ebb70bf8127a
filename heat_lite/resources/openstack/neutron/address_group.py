"""OS::Neutron::AddressGroup and OS::Neutron::DefaultSecurityGroupRule."""

from heat_lite.common import status
from heat_lite.resources.base.live_state import comparable_text
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import above, but, conflict, refuse
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    neutron_rest,
    project_property,
)
from heat_lite.resources.openstack.neutron.security_group import PROTOCOLS, port_range
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    list_,
    list_attribute,
    name_property,
    reference,
    string,
)

ADDRESSES = 'addresses'


class AddressGroup(NeutronResource):
    """An address group: CIDRs that rules of security groups name together."""

    resource_type = 'OS::Neutron::AddressGroup'
    since = OURS
    rest = neutron_rest('/address-groups', 'address_group', 'address-group', mark=MARK)

    properties_schema = {
        'name': name_property(),
        ADDRESSES: list_(
            'CIDRs of the address group.',
            string(custom='net_cidr'),
            required=True,
            update_allowed=True,
        ),
        'description': description_property(),
        'project': project_property('address group'),
    }
    attributes_schema = {ADDRESSES: list_attribute('CIDRs that Neutron shows.')}

    def changes(self, changed, diff):
        changed.pop(ADDRESSES, None)  # see follow_up
        return super().changes(changed, diff)

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if action != status.UPDATE or ADDRESSES not in diff:
            return
        present, wanted = (
            {comparable_text(each): each for each in some}
            for some in (self.fetch()[ADDRESSES], diff[ADDRESSES])
        )
        for verb, some, others in (('add', wanted, present), ('remove', present, wanted)):
            if changed := [each for key, each in some.items() if key not in others]:
                path = f'{self.object_path()}/{verb}_addresses'
                yield from self.send('PUT', path, {ADDRESSES: sorted(changed)})


class DefaultSecurityGroupRule(DeletedFirst, NeutronResource):
    """A template of rules: Neutron copies it into each new security group. For administrators."""

    resource_type = 'OS::Neutron::DefaultSecurityGroupRule'
    since = OURS
    rest = neutron_rest(
        '/default-security-group-rules',
        'default_security_group_rule',
        'security-groups-default-rules',
    )

    properties_schema = {
        'description': description_property(update_allowed=False),
        'direction': string(
            'Direction of the traffic of the default rule.',
            default='ingress',
            allowed=['ingress', 'egress'],
        ),
        'ethertype': string(
            'Ethertype of the traffic of the default rule.',
            default='IPv4',
            allowed=['IPv4', 'IPv6'],
        ),
        **port_range('default rule'),
        'protocol': string('Protocol of the default rule, by name or number.', allowed=PROTOCOLS),
        'remote_address_group': reference(
            'neutron.address_group', 'Remote address group of the default rule, by name or id.'
        ),
        'remote_group': string(
            'Id of the remote security group; PARENT means the new group itself.',
            wire='remote_group_id',
        ),
        'remote_ip_prefix': string(
            'CIDR of the remote end of the default rule.', custom='net_cidr'
        ),
        'used_in_default_sg': boolean(
            'Whether the default group of a new project gets the rule.', default=False
        ),
        'used_in_non_default_sg': boolean(
            'Whether each other new group gets the rule.', default=True
        ),
    }
    unique_by = tuple(name for name in properties_schema if name != 'description')
    property_rules = (
        conflict('remote_group', 'remote_ip_prefix'),
        conflict('remote_group', 'remote_address_group'),
        conflict('remote_address_group', 'remote_ip_prefix'),
        refuse(
            'The first port number must not exceed the last one.',
            protocol=but('icmp', 'icmpv6', 'ipv6-icmp'),
            port_range_min=above('port_range_max'),
        ),
    )

    def objects(self):
        return {}  # these rules belong to no project
