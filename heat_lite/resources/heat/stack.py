"""OS::Heat::Stack."""

import types

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.rpc.client import EngineClient
from heat_lite.template import format
from heat_lite.template.attributes import select
from heat_lite.template.schema import boolean, integer, map_, map_attribute, string, text
from heat_lite.template.support import since

#: how long a stack elsewhere may take to disappear from its service before it counts as gone, seen in the states of its rows
GONE = ('DELETE', 'COMPLETE')


class RemoteStack(Resource):
    """A stack of its own that belongs to this one: here, or with ``context`` in another region.

    It is an ordinary stack: its users see it in their lists. It is deleted with the resource.
    """

    resource_type = 'OS::Heat::Stack'
    default_client_name = 'heat'
    entity = 'stacks'
    uses_deferred_auth = True

    properties_schema = {
        'context': map_(
            'Where the stack is to be.',
            {
                'region_name': string('The region whose orchestration service makes it.'),
                'credential_secret_id': string(
                    'The secret that holds the credentials for another cloud.', update_allowed=True, support=since('12.0.0')
                ),
                'ca_cert': string('The certificate of the authority of another cloud.', update_allowed=True, support=since('12.0.0')),
                'insecure': boolean(
                    'Whether certificates of another cloud are not checked.', default=False, update_allowed=True, support=since('12.0.0')
                ),
            },
            update_allowed=True,
        ),
        'template': string('The template, as text.', required=True, update_allowed=True),
        'timeout': integer('How many minutes making or changing it may take.', update_allowed=True),
        'parameters': map_('Values of its parameters.', default={}, update_allowed=True),
    }
    attributes_schema = {
        'stack_name': text('Its name.'),
        'outputs': map_attribute('Its outputs: name and value.'),
    }

    # ------------------------------------------------------------ where it is

    def region(self):
        return (self.properties['context'] or {}).get('region_name')

    def service(self):
        """The orchestration service that has the stack. Raises StackValidationFailed where it cannot be reached."""
        if (self.properties['context'] or {}).get('credential_secret_id'):
            raise exception.NotSupported(feature='A stack in another cloud, by stored credentials')
        try:
            return OverHttp(self.stack.clients(self.region()).client('heat'))
        except errors.NoCloud as error:
            if self.region() is None:
                return OverRpc(self.stack)
            text = f'Cannot establish connection to Heat endpoint at region "{self.region()}" due to "{error.__cause__ or error}"'
            raise exception.StackValidationFailed(text) from error

    def request(self):
        """What the stack is to be, as the services take it."""
        template = self.stack.template
        return {
            'template': format.parse(self.properties['template']),
            'parameters': self.properties['parameters'],
            'files': dict(template.files),
            'environment': dict(template.environment.data),
            'timeout_mins': self.properties['timeout'],
            'disable_rollback': True,
        }

    def validate(self):
        super().validate()
        service = self.service()
        try:
            service.validate(self.request())
        except format.FormatError as error:
            raise self._invalid(error) from error
        except exception.HeatException as error:
            raise self._invalid(f'ERROR: {getattr(error, "said", error)}') from error

    def _invalid(self, reason):
        where = f'using Heat endpoint at region "{self.region()}"'
        return exception.StackValidationFailed(f'Failed validating stack template {where} due to "{reason}"')

    # ------------------------------------------------------------ work

    def handle_create(self):
        service = self.service()
        name = self.physical_resource_name()
        self.resource_id_set(service.find(name) or service.create(name, self.request()))
        yield from self._ended('CREATE')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff:
            self.service().update(self.resource_id, self.request())
            yield from self._ended('UPDATE')

    def handle_delete(self):
        if self.resource_id is None or not self._present():
            return
        self.service().delete(self.resource_id)
        while (state := self._state()) is not None and (state.action, state.status) != GONE:
            if state.action == 'DELETE' and state.status == 'FAILED':
                raise _failure(state)
            yield

    def handle_suspend(self):
        yield from self._acted('suspend')

    def handle_resume(self):
        yield from self._acted('resume')

    def handle_check(self):
        yield from self._acted('check')

    def _acted(self, verb):
        self.service().act(self.resource_id, verb)
        yield from self._ended(verb.upper())

    def _ended(self, action):
        """Wait for the end of an action. Raises ResourceInError as the stack has failed."""
        while True:
            state = self._state()
            if state is None:
                raise exception.Error(f'The stack {self.resource_id} is not there any more')
            if state.action == action and state.status == 'COMPLETE':
                return
            if state.action == action and state.status == 'FAILED':
                raise _failure(state)
            yield

    def _state(self):
        return self.service().state(self.resource_id)

    def _present(self):
        state = self._state()
        return state is not None and (state.action, state.status) != GONE

    # ------------------------------------------------------------ updates

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """A stack cannot move to another region."""
        if 'context' not in changed:
            return False
        after, before = ((each.get('context') or {}).get('region_name') for each in (after_properties, before_properties))
        return after != before

    def needs_replace_failed(self):
        return self.resource_id is None or not self._present()

    # ------------------------------------------------------------ what others read

    def show(self):
        return None if self.resource_id is None else self.service().show(self.resource_id)

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'stack_name':
            return self.show()['stack_name']
        return {each['output_key']: each.get('output_value') for each in self.show().get('outputs') or ()}

    def attribute(self, *path):
        """Outputs are read by name: ``[s, outputs, key]``."""
        if len(path) > 1 and path[0] == 'outputs':
            return select(self.attribute('outputs'), path[1:])
        return super().attribute(*path)


def _failure(state):
    return exception.ResourceInError(resource_status=f'{state.action}_{state.status}', status_reason=state.reason)


def _state(action, status, reason):
    return types.SimpleNamespace(action=action, status=status, reason=reason)


class OverHttp:
    """A service that the catalog names."""

    def __init__(self, api):
        self._api = api

    def validate(self, request):
        """Ask for a preview, which looks at values too; nothing is made."""
        self._api.ask('POST', '/stacks/preview', {'stack_name': 'preview', **request})

    def find(self, name):
        try:
            return self._shown(name)['id']
        except errors.NotFound:
            return None

    def create(self, name, request):
        return self._api.create('/stacks', None, {'stack_name': name, **request})['stack']['id']

    def update(self, stack_id, request):
        self._api.ask('PUT', self._path(stack_id), request)

    def act(self, stack_id, verb):
        self._api.ask('POST', f'{self._path(stack_id)}/actions', {verb: None})

    def delete(self, stack_id):
        self._api.delete(self._path(stack_id))

    def show(self, stack_id):
        return self._shown(stack_id)

    def state(self, stack_id):
        try:
            shown = self._shown(stack_id)
        except errors.NotFound:
            return None
        action, _, status = shown['stack_status'].partition('_')
        return _state(action, status, shown['stack_status_reason'])

    def _shown(self, name_or_id):
        return self._api.show(f'/stacks/{name_or_id}', 'stack')

    def _path(self, stack_id):
        return f'/stacks/{self._shown(stack_id)["stack_name"]}/{stack_id}'


class OverRpc:
    """The engines that we are one of: where there is no catalog."""

    def __init__(self, stack):
        self._context = stack.context
        self._engine = EngineClient()

    def validate(self, request):
        self._engine.preview_stack(self._context, stack_name='preview', **_arguments(request))

    def find(self, name):
        try:
            return self._identity(name)['stack_id']
        except exception.EntityNotFound:
            return None

    def create(self, name, request):
        return self._engine.create_stack(self._context, stack_name=name, **_arguments(request))['stack_id']

    def update(self, stack_id, request):
        self._engine.update_stack(self._context, stack_identity=self._identity(stack_id), **_arguments(request))

    def act(self, stack_id, verb):
        getattr(self._engine, f'stack_{verb}')(self._context, stack_identity=self._identity(stack_id))

    def delete(self, stack_id):
        self._engine.delete_stack(self._context, stack_identity=self._identity(stack_id))

    def show(self, stack_id):
        return self._engine.show_stack(self._context, stack_identity=self._identity(stack_id))[0]

    def state(self, stack_id):
        try:
            shown = self.show(stack_id)
        except exception.EntityNotFound:
            return None
        return _state(shown['stack_action'], shown['stack_status'], shown['stack_status_reason'])

    def _identity(self, name_or_id):
        return self._engine.identify_stack(self._context, stack_name=name_or_id)


def _arguments(request):
    """As the engine takes them: parameters are part of the environment."""
    environment = {**request['environment'], 'parameters': request['parameters'] or {}}
    args = {'timeout_mins': request['timeout_mins'], 'disable_rollback': True}
    return {'template': request['template'], 'params': environment, 'files': request['files'], 'args': args}
