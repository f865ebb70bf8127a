"""OS::Mistral::Workflow."""

from urllib.parse import quote

from heat_lite.common import exception
from heat_lite.common.value_texts import from_json
from heat_lite.resources.base import long_texts
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.signal_responder import SignalResponder
from heat_lite.resources.base.stack_user import SeparateStackUser
from heat_lite.resources.openstack.mistral import tasks, workflows
from heat_lite.template import reader
from heat_lite.template.schema import (
    boolean,
    description_property,
    list_,
    list_attribute,
    live_text,
    map_,
    map_attribute,
    name_property,
    string,
)

EXECUTIONS = 'executions'
#: the keys of an execution in the attribute ``executions``
EXECUTION_KEYS = ('id', 'workflow_name', 'created_at', 'updated_at', 'state')


class Workflow(SeparateStackUser, SignalResponder, ServiceResource):
    """A workflow. A signal executes it."""

    resource_type = 'OS::Mistral::Workflow'
    since = '2015.1'
    default_client_name = 'mistral'
    entity = 'workflows'
    always_replace_on_check_failed = False
    signals_change_attributes = True
    signed_method, signed_endpoint, requires_cfn_endpoint = 'POST', 'signal', False
    repeatable = False

    properties_schema = {
        'name': name_property(update_allowed=False),
        'description': description_property(),
        'input': map_('Input of the workflow, with the default values.', update_allowed=True),
        'output': map_('Output of the workflow.', update_allowed=True),
        'params': map_(
            'Parameters of the executions: the environment and, for a reverse workflow, the '
            'last task.',
            update_allowed=True,
        ),
        'tags': list_('Tags of the workflow.', update_allowed=True, since='10.0.0'),
        'task_defaults': map_(
            'Default values for the keys of all tasks.',
            tasks.defaults(),
            update_allowed=True,
            since='5.0.0',
        ),
        'tasks': list_(
            'Tasks of the workflow.',
            tasks.TASK,
            required=True,
            update_allowed=True,
            min=1,
        ),
        'type': string(
            'Type of the workflow: in a direct one, tasks name the following tasks; in a '
            'reverse one, the required tasks.',
            required=True,
            update_allowed=True,
            allowed=['direct', 'reverse'],
        ),
        'use_request_body_as_input': boolean(
            'Whether the body of a signal is the input. Otherwise the body is a map with the '
            'keys "input" and "params".',
            update_allowed=True,
            since='6.0.0',
        ),
    }
    attributes_schema = {
        'alarm_url': live_text('Signed URL: a POST request to it executes the workflow.'),
        'data': map_attribute('Name and input of the workflow.'),
        'executions': list_attribute('Executions that signals have started.'),
    }

    def validate(self):
        super().validate()
        tasks.check(self.properties)

    # ------------------------------------------------------------ actions

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        if self.resource_id is None:
            yield from self.call_with_retry(
                self.client().request, 'POST', '/workflows', text=self._definition(name)
            )
            self.resource_id_set(name)
        self.create_user()
        self.create_signal_transport()

    def find_existing(self):
        """Return the generated name if a workflow has it. Raises Interrupted for a workflow of the
        name that the template gives: it may belong to another stack, even if it is identical.
        """
        self.user_may_be_lost = True
        name = self.properties['name'] or self.physical_resource_name()
        found = self.client().show(f'/workflows/{quote(name)}')
        is_own = not self.properties['name'] and found['definition'] == self._definition(name)
        return name if is_own else super().find_existing()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff:
            yield from self.call_with_retry(
                self.client().request, 'PUT', '/workflows', text=self._definition(self.resource_id)
            )

    def handle_delete(self):
        if self.resource_id is not None:
            for each in self._executions():
                yield from self.call_with_retry(workflows.delete_execution, self.client(), each)
            yield from self.delete_path(self._path())
        self.delete_user()

    handle_check = ServiceResource.check_shown

    def live_properties(self):
        return {'name': self.resource_id, **tasks.described(self._live_definition())}

    def importable_state(self):
        return self.get_live_state(self.properties)

    def get_live_state(self, resource_properties):
        """Return the stored properties, with those of Mistral's definition where it differs."""
        stored, live = self.stored_properties(), self._live_definition()
        wanted, found = tasks.workflow(stored), tasks.described(live)
        keys = [key for key in wanted.keys() | live.keys() if wanted.get(key) != live.get(key)]
        changed = {key.replace('-', '_') for key in keys} & stored.keys()
        return {**stored, **{name: found.get(name) for name in changed}}

    def _live_definition(self):
        """Return the workflow in the definition that Mistral has, which users may have changed."""
        text = self.client().show(self._path())['definition']
        parts = [part for part in reader.parse(text).values() if isinstance(part, dict)]
        if len(parts) != 1 or not isinstance(parts[0].get('tasks'), dict):
            raise exception.Error(f'the definition of {self.resource_id} has not one workflow')
        return parts[0]

    def _definition(self, name):
        definition = {'version': '2.0', name: tasks.workflow(self.properties)}
        return long_texts.yaml_of(definition, allow_unicode=True)

    def _path(self):
        return f'/workflows/{quote(self.resource_id)}'

    # ------------------------------------------------------------ signals

    def check_signal(self, details):
        self._execution_arguments(details)

    def handle_signal(self, details=None):
        """A generator: execute the workflow. Raises StackValidationFailed for an invalid body."""
        input, params = self._execution_arguments(details)
        description = f'started by a signal to {self.name} of the stack {self.stack.name}'
        body = workflows.execution_body(self.resource_id, input, params, description)
        created = yield from self.call_with_retry(self.client().create, '/executions', None, body)
        self.data_set(EXECUTIONS, ','.join([created['id'], *self._executions()]))

    def _execution_arguments(self, details):
        """Return the input and the parameters of the execution that a signal starts."""
        details = {} if details is None else details
        input, params = dict(self.properties['input'] or {}), dict(self.properties['params'] or {})
        if self.properties['use_request_body_as_input']:
            return {**input, **self._validate_input(details)}, params
        if not isinstance(details, dict):
            raise exception.StackValidationFailed(
                f'Signal data is a map with the keys input and params, not {details!r}'
            )
        given, more = details.get('input'), details.get('params')
        for word, value in (('Input', given), ('Params', more)):
            if value is not None and not isinstance(value, dict):
                raise exception.StackValidationFailed(
                    f'{word} in signal data must be a map, find a {type(value).__name__}'
                )
        return {**input, **self._validate_input(given or {})}, {**params, **(more or {})}

    def _validate_input(self, given):
        if not isinstance(given, dict):
            raise exception.StackValidationFailed(
                f'Input in signal data must be a map, find a {type(given).__name__}'
            )
        unknown = [key for key in given if key not in (self.properties['input'] or {})]
        if unknown:
            raise exception.StackValidationFailed(f'Unknown input {unknown[0]}')
        return given

    def _executions(self):
        return [each for each in self.data().get(EXECUTIONS, '').split(',') if each]

    # ------------------------------------------------------------ attributes

    @property
    def named_before_create(self):
        return self.properties['name'] is not None

    def get_reference_id(self):
        return str(self.resource_id or self.properties['name'] or self.name)

    def show(self):
        return None if self.resource_id is None else self.client().show(self._path())

    def resolve_attribute(self, name):
        if name == 'data':
            return {'name': self.resource_id, 'input': self.properties['input']}
        if name == 'alarm_url':
            return self.signed_url() if self.resource_id else None
        return [
            self._execution_summary(self.client().show(f'/executions/{each}'))
            for each in self._executions()
        ]

    @staticmethod
    def _execution_summary(execution):
        return {
            **{key: execution.get(key) for key in EXECUTION_KEYS},
            'input': from_json(execution.get('input') or '{}'),
        }
