"""OS::Nova::ServerGroup."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import empty, filled, needs_version, refuse
from heat_lite.template.schema import list_, map_, name_property, number, string


def _has_soft_one(policies, read):
    return any(each.startswith('soft-') for each in policies)


class ServerGroup(CloudResource):
    """A server group: servers that are placed together or apart."""

    resource_type = 'OS::Nova::ServerGroup'
    since = '2014.2'
    rest = Rest('nova', '/os-server-groups', 'server_group')
    entity = 'server_groups'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'policies': list_(
            'Policies of the group, for example "anti-affinity". Only the first is used.',
            string(),
            default=['anti-affinity'],
            allowed=['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity'],
            sent=False,
        ),
        'rules': map_(
            'Rules of the policy.',
            {'max_server_per_host': number('Largest number of servers of the group on one host.')},
            since='17.0.0',
        ),
    }

    property_rules = (
        refuse('A server group has one policy.', policies=empty),
        needs_version('2.15', 'policies: soft', policies=_has_soft_one),
        needs_version('2.64', 'rules', rules=filled),
    )

    def body(self, values):
        """Return the body. Since microversion 2.64 a group has one policy instead of a list."""
        return {**values, 'policy': self.properties['policies'][0]}
