"""OS::Mistral::ExternalResource."""

import contextlib
import json
import uuid

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.common.value_texts import from_json
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.resources.openstack.mistral import workflows
from heat_lite.template.attributes import select
from heat_lite.template.schema import boolean, list_, map_, map_attribute, string

ACTIONS = (status.CREATE, status.UPDATE, status.SUSPEND, status.RESUME, status.DELETE)
#: keys in the data of the resource: the execution that created the object, all executions, the
#: running execution and the output of the last one
CREATED, ALL, RUNNING, OUTPUTS = 'execution', 'executions', 'running', 'outputs'
#: the key in the environment of a workflow with the output of the preceding workflow
ENVIRONMENT, DATA, ID = 'env', 'heat_extresource_data', 'resource_id'


def _workflow(action):
    return map_(
        f'Workflow that is executed to {action.lower()} the object.',
        {
            'params': map_('Parameters of the workflow besides its input.', default={}),
            'workflow': string(
                'Name or id of the workflow to execute.', required=True, custom='mistral.workflow'
            ),
        },
    )


class MistralExternalResource(ServiceResource):
    """An object that Mistral workflows create, update and delete.

    Each workflow finds the output of the preceding one in its environment.
    """

    resource_type = 'OS::Mistral::ExternalResource'
    since = '9.0.0'
    default_client_name = 'mistral'
    entity = 'executions'
    not_compared = 'Only its workflows know the object.'

    properties_schema = {
        'actions': map_(
            'Workflows of the actions.', {each: _workflow(each) for each in ACTIONS}, required=True
        ),
        'always_update': boolean(
            'Whether each update of the stack updates the object.', default=False
        ),
        'description': string('Description of the workflow executions.', default='Heat managed'),
        'input': map_('Input of the workflows.', default={}, update_allowed=True),
        'replace_on_change_inputs': list_('Inputs whose change replaces the object.', default=[]),
    }
    attributes_schema = {'output': map_attribute('Output of the last workflow.')}

    # ------------------------------------------------------------ actions

    def handle_create(self):
        yield from self._execute(status.CREATE)
        if self.resource_id in (None, self.data().get(CREATED)):
            outputs = self._outputs()
            self.resource_id_set(
                str(outputs.get(ID) or self.data().get(CREATED) or self.physical_resource_name())
            )

    def find_existing(self):
        """Return the id of the execution that an interrupted create has started, or None."""
        return (self.show() or {}).get('id')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._execute(status.UPDATE)

    def handle_suspend(self):
        yield from self._execute(status.SUSPEND)

    def handle_resume(self):
        yield from self._execute(status.RESUME)

    def handle_delete(self):
        """A generator: execute the workflow for DELETE, unless it was deleted, then delete the
        executions. An interrupted create ends before.
        """
        if self.resource_id is not None:
            if self.data().get(RUNNING, '').startswith(status.CREATE):
                with contextlib.suppress(errors.NotFound, exception.ResourceInError):
                    yield from self._execute(status.CREATE, self.stored_property)
            with contextlib.suppress(errors.NotFound):
                yield from self._execute(status.DELETE, self.stored_property)
        for each in self._executions():
            yield from self.call_with_retry(workflows.delete_execution, self.client(), each)

    def needs_update(self, definition):
        return self.properties_of(definition)['always_update']

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        if 'input' not in changed:
            return False
        before, after = before_properties['input'] or {}, after_properties['input'] or {}
        return any(
            before.get(name) != after.get(name)
            for name in before_properties['replace_on_change_inputs'] or ()
        )

    def _execute(self, action, read=None):
        """A generator: execute the workflow of an action, if there is one, and wait for its end.

        ``read(name)`` returns a property; by default that of the template.
        """
        read = read or self.properties.__getitem__
        workflow = (read('actions') or {}).get(action)
        if not workflow:
            return
        running = self.data().get(RUNNING, '').partition(':')
        if running[0] != action:
            running = (action, ':', str(uuid.uuid4()))
            self.data_set(RUNNING, ''.join(running))
            self.data_set(ALL, ','.join([*self._executions(), running[2]]))
            if action == status.CREATE:
                self.data_set(CREATED, running[2])
            yield None  # stores the id before the request
        yield from self._start(running[2], workflow, read)
        ended = yield from self._wait_for_execution(running[2])
        self.data_delete(RUNNING)
        if ended['state'] not in workflows.SUCCESS:
            raise exception.ResourceInError(
                resource_status=ended['state'], status_reason=ended.get('state_info') or 'Unknown'
            )
        self.data_set(OUTPUTS, json.dumps(workflows.decode(ended, 'output') or {}))

    def _start(self, execution_id, workflow, read):
        """Generator: start an execution, unless Mistral has one with the id already."""
        params = dict(workflow['params'] or {})
        if self.resource_id is not None:
            params[ENVIRONMENT] = {**(params.get(ENVIRONMENT) or {}), DATA: self._outputs()}
        body = workflows.execution_body(
            workflow['workflow'], read('input'), params, read('description')
        )
        create = self.client().create
        yield from self.call_with_retry(create, '/executions', None, {**body, 'id': execution_id})

    def _wait_for_execution(self, execution_id):
        for pause in retry_delays():
            found = yield from self.call_with_retry(
                self.client().show, f'/executions/{execution_id}'
            )
            if found['state'] in (*workflows.SUCCESS, *workflows.FAILED):
                return found
            yield pause

    # ------------------------------------------------------------ attributes

    def _outputs(self):
        return from_json(self.data().get(OUTPUTS) or '{}')

    def _executions(self):
        return [each for each in self.data().get(ALL, '').split(',') if each]

    def show(self):
        created = self.data().get(CREATED)
        return self.client().show(f'/executions/{created}') if created else None

    def attribute(self, *path):
        """Return the output: as JSON text, or a value in it."""
        if len(path) > 1 and path[0] == 'output' and self.action != status.INIT:
            return select(self._outputs(), path[1:])
        return super().attribute(*path)

    def resolve_attribute(self, name):
        return json.dumps(self._outputs()) if self.resource_id else None
