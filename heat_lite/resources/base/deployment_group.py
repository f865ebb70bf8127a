"""What groups of software deployments have in common: the same configuration for many servers."""

from heat_lite.common import exception, status
from heat_lite.resources.group import SHOW, GroupResource
from heat_lite.resources.signal import by_usual_way
from heat_lite.template import members, software, support
from heat_lite.template.attributes import select
from heat_lite.template.constraints import Range
from heat_lite.template.members import Pace
from heat_lite.template.schema import integer, map_, map_attribute, number

SERVERS = 'servers'
#: attributes of the group -> those of its members
PLURALS = {f'{name}s': name for name in software.REPORTED}

BATCH = {
    'max_batch_size': integer('How many servers are dealt with at once.', default=1, constraints=[Range(min=1)]),
    'pause_time': number('Seconds to wait between two batches.', default=0, constraints=[Range(min=0)]),
}


def servers():
    return map_('The servers, each under a name for its deployment.', required=True, update_allowed=True)


class DeploymentGroup(GroupResource):
    """A type says by ``member_type`` what its members are: they have its properties, but each a server of its own."""

    member_type = ''
    update_policy_schema = {
        'rolling_update': map_('How a change gets to the servers: in batches.', BATCH, support=support.since('7.0.0')),
        'batch_create': map_('How the configuration gets to the servers at first: in batches.', BATCH, support=support.since('7.0.0')),
    }
    attributes_schema = {
        'deploy_stdouts': map_attribute('What the tools on the servers have written, by the names of the servers.'),
        'deploy_stderrs': map_attribute('What they have complained about, by the names of the servers.'),
        'deploy_status_codes': map_attribute('What they have ended with, by the names of the servers.'),
    }

    def properties_of(self, definition):
        return by_usual_way(self.stack, super().properties_of(definition))

    def member_names(self):
        return [str(name) for name in self.properties[SERVERS] or {}]

    def definer(self):
        each = {str(name): server for name, server in (self.properties[SERVERS] or {}).items()}
        shared = {name: self.properties[name] for name in self.properties_schema if name != SERVERS}
        shared = {name: value for name, value in shared.items() if value is not None}
        return lambda name: {'type': self.member_type, 'properties': {**shared, 'server': each[name]}}

    # ------------------------------------------------------------ work

    def handle_create(self):
        policy = self.update_policy()['batch_create']
        if not policy or not self.member_names() or self.nested() is not None:
            yield from super().handle_create()
            return
        yield from self.create_with_template(members.template({}, {}))
        yield from self.converge(self._stages(policy, []), policy['pause_time'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.at_rest()
        policy = self.update_policy()['rolling_update']
        if not policy or not prop_diff:
            yield from super().handle_update(definition, tmpl_diff, prop_diff)
            return
        stages = self._stages(policy, [each.name for each in self.members()], self.as_wanted())
        yield from self.converge(stages, policy['pause_time'])

    def _stages(self, policy, present, current=()):
        wanted = self.member_names()
        kept = [name for name in wanted if name in present]
        names = [*kept, *(name for name in wanted if name not in present)]
        stages = members.stages(kept, lambda size: names[:size], len(names), names, Pace(policy['max_batch_size']), current)
        return stages or [members.Stage(names, frozenset(current))]

    # ------------------------------------------------------------ what others read

    def has_attribute(self, name):
        """Which outputs the configuration has is known only when that is there."""
        return True

    def outputs_for(self, path, names):
        """Of each attribute of the members one output: ``{name of the server: value}``."""
        attribute = PLURALS.get(path[0], path[0])
        return {members.output_name((attribute,)): members.attributes_map(names, [attribute])}

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
            return select(self.attributes_map((attribute,), [attribute]), rest)
        except exception.TemplateOutputError as error:
            raise exception.InvalidTemplateAttribute(resource=self.name, key=first) from error
