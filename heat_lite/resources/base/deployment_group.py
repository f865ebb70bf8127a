"""DeploymentGroup: base class of groups that deploy one configuration to many servers."""

from heat_lite.common import exception, status
from heat_lite.common.value_types import without_none
from heat_lite.resources.base.group import SHOW, GroupResource
from heat_lite.resources.base.signal_responder import with_default_transport
from heat_lite.template import members, software
from heat_lite.template.attributes import select
from heat_lite.template.members import RollingPolicy
from heat_lite.template.schema import integer, map_, map_attribute, number

SERVERS = 'servers'
#: attributes of the group -> attributes of its members
PLURALS = {f'{name}s': name for name in software.REPORTED}

BATCH = {
    'max_batch_size': integer('Number of servers that are deployed to at once.', default=1, min=1),
    'pause_time': number('Seconds between two batches.', default=0, min=0),
}


SERVERS_BY_DEPLOYMENT = map_(
    'Map of deployment names to the IDs of the servers.', required=True, update_allowed=True
)


class DeploymentGroup(GroupResource):
    """A group of deployments of the type ``member_type``, one for each server.

    Their other properties are those of the group.
    """

    member_type = ''
    update_policy_schema = {
        'rolling_update': map_(
            'Policy of rolling updates, which deploy a change in batches.', BATCH, since='7.0.0'
        ),
        'batch_create': map_(
            'Policy of the create, which deploys the configuration in batches.',
            BATCH,
            since='7.0.0',
        ),
    }
    attributes_schema = {
        'deploy_stdouts': map_attribute(
            'Map of server names to the standard output of the tool on the server.'
        ),
        'deploy_stderrs': map_attribute(
            'Map of server names to the standard error of the tool on the server.'
        ),
        'deploy_status_codes': map_attribute(
            'Map of server names to the exit status of the tool on the server.'
        ),
    }

    def properties_of(self, definition):
        return with_default_transport(self.stack, super().properties_of(definition))

    def member_names(self):
        return [str(name) for name in self.properties[SERVERS] or {}]

    def definition_factory(self):
        each = {str(name): server for name, server in (self.properties[SERVERS] or {}).items()}
        shared = {name: self.properties[name] for name in self.properties_schema if name != SERVERS}
        shared = without_none(shared)
        if (
            not self.stack.runtime.endpoints.reachable
            and 'signal_transport' not in self.properties.data
        ):
            del shared['signal_transport']  # each member has the default of such a service
        charge = members.charge_of(shared)

        def define(name):
            charge()
            properties = {**shared, 'server': each[name]}
            return {'type': self.member_type, 'properties': properties}

        return define

    # ------------------------------------------------------------ actions

    def handle_create(self):
        policy = self.update_policy()['batch_create']
        if not policy or not self.member_names() or self.nested() is not None:
            yield from super().handle_create()
            return
        yield from self.create_with_template(members.template({}, {}))
        yield from self.apply_batches(self._batches(policy, []), policy['pause_time'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.settle()
        policy = self.update_policy()['rolling_update']
        if not policy or not prop_diff:
            yield from super().handle_update(definition, tmpl_diff, prop_diff)
            return
        batches = self._batches(
            policy, [each.name for each in self.members()], self.up_to_date_members()
        )
        yield from self.apply_batches(batches, policy['pause_time'])

    def _batches(self, policy, present, current=()):
        wanted = self.member_names()
        kept = [name for name in wanted if name in present]
        names = [*kept, *(name for name in wanted if name not in present)]
        batches = members.rolling_batches(
            kept,
            lambda size: names[:size],
            len(names),
            names,
            RollingPolicy(policy['max_batch_size']),
            current,
        )
        return batches or [members.Batch(names, frozenset(current))]

    # ------------------------------------------------------------ references and attributes

    def outputs_for(self, path, names):
        """Return an output with the map of server names to the members' values of an attribute."""
        attribute = PLURALS.get(path[0], path[0])
        return {members.output_name((attribute,)): members.attribute_map(names, [attribute])}

    def attribute(self, *path):
        if not path:
            return {name: self.attribute(name) for name in self.attributes_schema}
        if self.action == status.INIT or self.nested() is None:
            return None
        first, *rest = path
        if first == SHOW:
            return None
        attribute = PLURALS.get(first, first)
        try:
            return select(self.member_attribute_map((attribute,), [attribute]), rest)
        except exception.TemplateOutputError as error:
            raise exception.InvalidTemplateAttribute(resource=self.name, key=first) from error
