"""OS::Mistral::Workflow."""

import json
from urllib.parse import quote

import yaml

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource
from heat_lite.resources.openstack.mistral import tasks, workflows
from heat_lite.resources.signal import SignalResponder
from heat_lite.resources.stack_user import UserBeside
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length
from heat_lite.template.schema import CACHE_NONE, boolean, list_, list_attribute, map_, map_attribute, string, text

EXECUTIONS = 'executions'
#: what is told of an execution
TOLD = ('id', 'workflow_name', 'created_at', 'updated_at', 'state')


class Workflow(UserBeside, SignalResponder, ServiceResource):
    """A workflow. Each signal starts it."""

    resource_type = 'OS::Mistral::Workflow'
    support_status = support.since('2015.1')
    default_client_name = 'mistral'
    entity = 'workflows'
    always_replace_on_check_failed = False
    signals_change_attributes = True
    signed_verb, signed_door, needs_door = 'POST', 'signal', False
    repeatable = False

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'description': string('A text that says what it is for.', update_allowed=True),
        'input': map_('Its input, with the values that it has where a signal gives none.', update_allowed=True),
        'output': map_('Its output.', update_allowed=True),
        'params': map_('What else it is told: its environment; in a reverse one the task to end with.', update_allowed=True),
        'tags': list_('Labels.', update_allowed=True, support=support.since('10.0.0')),
        'task_defaults': map_('What its tasks have in common.', tasks.defaults(), update_allowed=True, support=support.since('5.0.0')),
        'tasks': list_('Its tasks.', map_(None, tasks.task()), required=True, update_allowed=True, constraints=[Length(min=1)]),
        'type': string(
            'Whether tasks say what follows them (direct), or what they require (reverse).',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['direct', 'reverse'])],
        ),
        'use_request_body_as_input': boolean(
            'Whether the body of a signal is the input; else that is under the key input of it, and params under another.',
            update_allowed=True,
            support=support.since('6.0.0'),
        ),
    }
    attributes_schema = {
        'alarm_url': text('A signed address: a POST to it starts the workflow.', cache_mode=CACHE_NONE),
        'data': map_attribute('Its name and its input.'),
        'executions': list_attribute('How often it was started by signals, and what came of that.'),
    }

    def validate(self):
        super().validate()
        tasks.check(self.name, self.properties)

    # ------------------------------------------------------------ life

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        if self.resource_id is None:
            yield from self.ask(self.client().request, 'POST', '/workflows', text=self._definition(name))
            self.resource_id_set(name)
        self.create_user()
        self.open_door()

    def find_existing(self):
        """One of that name is its own if it says the same, down to the letter."""
        name = self.properties['name'] or self.physical_resource_name()
        try:
            found = self.client().show(f'/workflows/{quote(name)}')
        except errors.NotFound:
            return None
        return name if found['definition'] == self._definition(name) else super().find_existing()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff:
            yield from self.ask(self.client().request, 'PUT', '/workflows', text=self._definition(self.resource_id))

    def handle_delete(self):
        if self.resource_id is not None:
            for each in self._executions():
                yield from self.ask(workflows.forget, self.client(), each)
            yield from self.take_away(self.client().delete, self._path())
        self.delete_user()

    def needs_delete(self):
        return self.resource_id is not None or self.user_id is not None

    def handle_check(self):
        self.client().show(self._path())

    def _definition(self, name):
        return yaml.safe_dump({'version': '2.0', name: tasks.workflow(self.properties)}, default_flow_style=False, allow_unicode=True)

    def _path(self):
        return f'/workflows/{quote(self.resource_id)}'

    # ------------------------------------------------------------ signals

    def handle_signal(self, details=None):
        """A generator: starts it. Raises StackValidationFailed for what it does not take."""
        input, params = self._asked(details or {})
        description = f'started by a signal to {self.name} of the stack {self.stack.name}'
        body = workflows.execution(self.resource_id, input, params, description)
        made = yield from self.ask(self.client().create, '/executions', None, body)
        self.data_set(EXECUTIONS, ','.join([made['id'], *self._executions()]))

    def _asked(self, details):
        """The input and the parameters of what a signal starts."""
        input, params = dict(self.properties['input'] or {}), dict(self.properties['params'] or {})
        if self.properties['use_request_body_as_input']:
            return {**input, **self._known(details)}, params
        if not isinstance(details, dict):
            raise exception.StackValidationFailed(f'A signal is a map with input and params, not {details!r}')
        given, more = details.get('input'), details.get('params')
        for word, value in (('Input', given), ('Params', more)):
            if value is not None and not isinstance(value, dict):
                raise exception.StackValidationFailed(f'{word} in signal data must be a map, find a {type(value).__name__}')
        return {**input, **self._known(given or {})}, {**params, **(more or {})}

    def _known(self, given):
        if not isinstance(given, dict):
            raise exception.StackValidationFailed(f'Input in signal data must be a map, find a {type(given).__name__}')
        unknown = [key for key in given if key not in (self.properties['input'] or {})]
        if unknown:
            raise exception.StackValidationFailed(f'Unknown input {unknown[0]}')
        return given

    def _executions(self):
        return [each for each in self.data().get(EXECUTIONS, '').split(',') if each]

    # ------------------------------------------------------------ what others read

    def get_reference_id(self):
        return str(self.resource_id or self.properties['name'] or self.name)

    def show(self):
        return None if self.resource_id is None else self.client().show(self._path())

    def resolve_attribute(self, name):
        if name == 'data':
            return {'name': self.resource_id, 'input': self.properties['input']}
        if name == 'alarm_url':
            return self.signed_url() if self.resource_id else None
        return [self._told(self.client().show(f'/executions/{each}')) for each in self._executions()]

    @staticmethod
    def _told(execution):
        return {**{key: execution.get(key) for key in TOLD}, 'input': json.loads(execution.get('input') or '{}')}
