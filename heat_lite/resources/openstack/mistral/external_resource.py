"""OS::Mistral::ExternalResource."""

import json

from heat_lite.common import exception, status
from heat_lite.resources.cloud import ServiceResource, pauses
from heat_lite.resources.openstack.mistral import workflows
from heat_lite.template import support
from heat_lite.template.attributes import select
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, list_, map_, map_attribute, string

ACTIONS = (status.CREATE, status.UPDATE, status.SUSPEND, status.RESUME, status.DELETE)
#: what is kept: the execution that made it, all executions, the one that runs, and what the last one told
MADE, ALL, RUNNING, OUTPUTS = 'execution', 'executions', 'running', 'outputs'
#: where workflows find what the one before them told
ENVIRONMENT, DATA, ID = 'env', 'heat_extresource_data', 'resource_id'


def _workflow(action):
    return map_(
        f'What is done to {action.lower()} it.',
        {
            'params': map_('What the workflow is told besides its input.', default={}),
            'workflow': string('The workflow, by name or id.', required=True, constraints=[CustomConstraint('mistral.workflow')]),
        },
    )


class ExternalResource(ServiceResource):
    """Something that workflows make, change and take away. What one of them tells, the next finds in its environment."""

    resource_type = 'OS::Mistral::ExternalResource'
    support_status = support.since('9.0.0')
    default_client_name = 'mistral'
    entity = 'executions'

    properties_schema = {
        'actions': map_('The workflows of its actions.', {each: _workflow(each) for each in ACTIONS}, required=True),
        'always_update': boolean('Whether each update of the stack is one of it.', default=False),
        'description': string('A text for the executions.', default='Heat managed'),
        'input': map_('The input of the workflows.', default={}, update_allowed=True),
        'replace_on_change_inputs': list_('The inputs that ask for another one when they change.', default=[]),
    }
    attributes_schema = {'output': map_attribute('What the last workflow told.')}

    # ------------------------------------------------------------ life

    def handle_create(self):
        yield from self._do(status.CREATE)
        if self.resource_id is None:
            told = self._outputs()
            self.resource_id_set(str(told.get(ID) or self.data().get(MADE) or self.physical_resource_name()))

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._do(status.UPDATE)

    def handle_suspend(self):
        yield from self._do(status.SUSPEND)

    def handle_resume(self):
        yield from self._do(status.RESUME)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._do(status.DELETE)
        for each in self._all():
            yield from self.ask(workflows.forget, self.client(), each)

    def needs_delete(self):
        return self.resource_id is not None or bool(self._all())

    def needs_update(self, definition):
        return self.properties_of(definition)['always_update']

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        if 'input' not in changed:
            return False
        before, after = before_properties['input'] or {}, after_properties['input'] or {}
        return any(before.get(name) != after.get(name) for name in before_properties['replace_on_change_inputs'] or ())

    def _do(self, action):
        """A generator: starts the workflow of an action, if it has one, and waits for its end."""
        asked = (self.properties['actions'] or {}).get(action)
        if not asked:
            return
        running = self.data().get(RUNNING, '').partition(':')
        if running[0] != action:
            running = (action, ':', (yield from self._start(asked)))
            self.data_set(RUNNING, ''.join(running))
            self.data_set(ALL, ','.join([*self._all(), running[2]]))
        if action == status.CREATE:
            self.data_set(MADE, running[2])
        ended = yield from self._ended(running[2])
        self.data_delete(RUNNING)
        if ended['state'] not in workflows.SUCCESS:
            raise exception.ResourceInError(resource_status=ended['state'], status_reason=ended.get('state_info') or 'Unknown')
        self.data_set(OUTPUTS, json.dumps(workflows.told(ended, 'output') or {}))

    def _start(self, asked):
        params = dict(asked['params'] or {})
        if self.resource_id is not None:
            params[ENVIRONMENT] = {**(params.get(ENVIRONMENT) or {}), DATA: self._outputs()}
        body = workflows.execution(asked['workflow'], self.properties['input'], params, self.properties['description'])
        made = yield from self.ask(self.client().create, '/executions', None, body)
        return made['id']

    def _ended(self, execution_id):
        for pause in pauses():
            found = yield from self.ask(self.client().show, f'/executions/{execution_id}')
            if found['state'] in (*workflows.SUCCESS, *workflows.FAILED):
                return found
            yield pause

    # ------------------------------------------------------------ what others read

    def _outputs(self):
        return json.loads(self.data().get(OUTPUTS) or '{}')

    def _all(self):
        return [each for each in self.data().get(ALL, '').split(',') if each]

    def show(self):
        made = self.data().get(MADE)
        return self.client().show(f'/executions/{made}') if made else None

    def attribute(self, *path):
        """What the workflow told is a text of JSON as a whole, and can be looked into."""
        if len(path) > 1 and path[0] == 'output' and self.action != status.INIT:
            return select(self._outputs(), path[1:])
        return super().attribute(*path)

    def resolve_attribute(self, name):
        return json.dumps(self._outputs()) if self.resource_id else None
