"""OS::Heat::Stack."""

import contextlib
import types

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import lifecycle
from heat_lite.template import environment, reader
from heat_lite.template.schema import integer, map_, map_attribute, string, switch
from heat_lite.template.unknown import as_heat_shows, require_known

#: the action and status of a deleted stack whose row its service still shows
DELETED = ('DELETE', 'COMPLETE')
#: key in the data of the resource: the snapshot of the stack in the last snapshot of its parent
SNAPSHOT_ID = 'snapshot_id'
#: header with the number of OS::Heat::Stack resources above a request; a client that sends it
#: only lowers the number of levels that it may use
DEPTH_HEADER = 'X-Heat-Lite-Stack-Depth'
#: number of templates that one request may validate through OS::Heat::Stack, unless
#: max_stacks_per_tenant or max_resources_per_stack is larger
MAX_VALIDATED = 1000


class RemoteStack(Resource):
    """A nested stack that is an ordinary stack: here, or in another region with ``context``.

    Its users see it in their lists of stacks. It is deleted with the resource.
    """

    named_before_create = False
    resource_type = 'OS::Heat::Stack'
    default_client_name = 'heat'
    entity = 'stacks'
    uses_deferred_auth = True
    snapshot_keys = (SNAPSHOT_ID,)

    properties_schema = {
        'context': map_(
            'Location of the stack.',
            {
                'region_name': string('Name of the region in which the stack is created.'),
                'credential_secret_id': string(
                    'ID of the Barbican secret with the credentials for another cloud.',
                    update_allowed=True,
                    since='12.0.0',
                ),
                'ca_cert': string(
                    'CA certificate of another cloud, in PEM format.',
                    update_allowed=True,
                    since='12.0.0',
                ),
                'insecure': switch(
                    'Whether the TLS certificate of another cloud is not verified.',
                    default=False,
                    since='12.0.0',
                ),
            },
            update_allowed=True,
        ),
        'template': string('Text of the template.', required=True, update_allowed=True),
        'timeout': integer('Timeout of stack actions in minutes.', update_allowed=True),
        'parameters': map_(
            'Values of the parameters of the stack.', default={}, update_allowed=True
        ),
    }
    attributes_schema = {
        'stack_name': 'Name of the stack.',
        'outputs': map_attribute("Map of the names of the stack's outputs to their values."),
    }

    # ------------------------------------------------------------ the orchestration service

    #: the client of the service
    _api = None

    def region(self):
        return (self.properties['context'] or {}).get('region_name')

    def redefine(self, definition):
        super().redefine(definition)
        self._api = None

    def service(self):
        """Return the orchestration service that owns the stack.

        Raises StackValidationFailed if it is unavailable.
        """
        clouds, location = self.stack.runtime.clouds, self.properties['context'] or {}
        other = location.get('credential_secret_id')
        own_region = (None, clouds.region(self.stack.tenant)) if clouds is not None else ()
        if not other and self.region() in own_region:
            return EngineMethods(self.stack)
        try:
            if self._api is None:
                # the secret with the login is in the cloud of the stack
                clients = self.stack.clients(None if other else self.region())
                self._api = clients.orchestration(location)
            return RestService(self._api, (self.stack.context.stack_depth or 0) + 1)
        except errors.NoCloud as error:
            if self.region() is None and not other:
                return EngineMethods(self.stack)
            text = (
                f'Cannot establish connection to Heat endpoint at region "{self.region()}" '
                f'due to "{error.__cause__ or error}"'
            )
            raise exception.StackValidationFailed(text) from error

    def _check_depth(self):
        """Raise NestedTooDeeply beyond max_nested_stack_depth levels of such resources."""
        context, limit = self.stack.context, self.stack.limits.max_nested_stack_depth
        if (context.stack_depth or 0) >= limit:
            raise exception.NestedTooDeeply(
                f'{self.name} below the stack "{context.root_stack or self.stack.name}" is one '
                f'OS::Heat::Stack too deep: max_nested_stack_depth allows {limit} levels. '
                'A template must not contain itself.'
            )

    def _count_validation(self):
        """Count one more validated template. Raises NestedTooDeeply for too many."""
        context, limits = self.stack.context, self.stack.limits
        allowed = max(MAX_VALIDATED, limits.max_stacks_per_tenant, limits.max_resources_per_stack)
        context.stack_calls.count += 1
        if context.stack_calls.count > allowed:
            raise exception.NestedTooDeeply(
                f'One request may validate {allowed} templates of OS::Heat::Stack resources; '
                f'the stacks below "{context.root_stack or self.stack.name}" have more.'
            )

    def request(self):
        """Return the create or update request of the stack, without its name."""
        template = self.stack.template
        # the other service refuses parameters that its template does not declare
        left_out = (environment.PARAMETERS, environment.ENCRYPTED)
        data = template.environment.data
        return {
            'template': reader.parse(self.properties['template']),
            'parameters': self.properties['parameters'],
            'files': dict(template.files),
            'environment': {key: value for key, value in data.items() if key not in left_out},
            'timeout_mins': self.properties['timeout'],
            'disable_rollback': True,
        }

    def validate(self):
        super().validate()
        self._check_depth()
        self._count_validation()
        service = self.service()
        require_known(self.properties['template'])
        try:
            service.validate(self.request())
        except exception.NestedTooDeeply:
            raise
        except reader.FormatError as error:
            raise self._invalid(error) from error
        except exception.HeatException as error:
            raise self._invalid(f'ERROR: {getattr(error, "service_message", error)}') from error

    def _invalid(self, reason):
        where = f'using Heat endpoint at region "{self.region()}"'
        return exception.StackValidationFailed(
            f'Failed validating stack template {where} due to "{reason}"'
        )

    # ------------------------------------------------------------ actions

    def handle_create(self):
        self._check_depth()
        service = self.service()
        name = self.physical_resource_name()
        self.resource_id_set(service.find(name) or service.create(name, self.request()))
        yield from self._wait_for('CREATE')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        saved = lifecycle.restored_data(self)
        if saved.get('resource_id') == self.resource_id and SNAPSHOT_ID in saved['resource_data']:
            yield from self._wait_for_rest()
            self.service().restore(self.resource_id, saved['resource_data'][SNAPSHOT_ID])
            yield from self._wait_for('RESTORE')
        elif prop_diff:
            self._check_depth()
            self.service().update(self.resource_id, self.request())
            yield from self._wait_for('UPDATE')

    def handle_delete(self):
        if self.resource_id is None or not self._exists():
            return
        with contextlib.suppress(exception.NotFound, exception.EntityNotFound):  # deleted since
            self.service().delete(self.resource_id)
        while (state := self._state()) is not None and (state.action, state.status) != DELETED:
            if state.action == 'DELETE' and state.status == 'FAILED':
                raise _failure(state)
            yield

    def handle_suspend(self):
        yield from self._run_action('suspend')

    def handle_resume(self):
        yield from self._run_action('resume')

    def handle_check(self):
        if self.resource_id is None:
            raise errors.NotFound('the stack was never created')
        yield from self._run_action('check')

    def handle_snapshot(self):
        """Generator: take a snapshot of the stack, or wait for the one that was begun."""
        service = self.service()
        if SNAPSHOT_ID not in self.data():
            yield from self._wait_for_rest()
            self.data_set(SNAPSHOT_ID, service.snapshot(self.resource_id, self.stack.name))
        yield from self._wait_for_snapshot(self.resource_id, self.data()[SNAPSHOT_ID])

    def handle_delete_snapshot(self, data):
        """Generator: delete the snapshot of the stack; one that is deleted has none left."""
        taken = (data.get('resource_data') or {}).get(SNAPSHOT_ID)
        if taken is not None and self.service().snapshot_state(data['resource_id'], taken):
            self.service().delete_snapshot(data['resource_id'], taken)
            yield from self._wait_for_snapshot(data['resource_id'], taken)

    def _wait_for_snapshot(self, stack_id, snapshot_id):
        """Generator: wait until a snapshot is complete or gone. Raises ResourceInError."""
        while (state := self.service().snapshot_state(stack_id, snapshot_id)) is not None:
            if state.status == 'COMPLETE':
                return
            if state.status == 'FAILED':
                raise _failure(state)
            yield

    def _wait_for_rest(self):
        while (state := self._state()) is not None and state.status == 'IN_PROGRESS':
            yield

    def _run_action(self, verb):
        yield from self._wait_for_rest()
        self.service().run_action(self.resource_id, verb)
        yield from self._wait_for(verb.upper())

    def _wait_for(self, action):
        """Generator: wait until an action completes. Raises ResourceInError if it fails."""
        while True:
            state = self._state()
            if state is None:
                raise exception.Error(f'The stack {self.resource_id} no longer exists')
            if state.action == action and state.status == 'COMPLETE':
                return
            if state.action == action and state.status == 'FAILED':
                raise _failure(state)
            yield

    def _state(self):
        return self.service().state(self.resource_id)

    def _exists(self):
        state = self._state()
        return state is not None and (state.action, state.status) != DELETED

    # ------------------------------------------------------------ updates

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Return whether the region changed: a stack cannot move to another one."""
        if 'context' not in changed:
            return False
        after, before = (
            (each.get('context') or {}).get('region_name')
            for each in (after_properties, before_properties)
        )
        return after != before

    def needs_update(self, definition):
        """Return True: the remote stack itself finds out what has changed in it."""
        return True

    def needs_replace_failed(self):
        return self.resource_id is None or not self._exists()

    # ------------------------------------------------------------ attributes

    def show(self):
        return None if self.resource_id is None else self.service().show(self.resource_id)

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'stack_name':
            return self.show()['stack_name']
        return {
            each['output_key']: each.get('output_value')
            for each in self.show().get('outputs') or ()
        }


def _failure(state):
    return exception.ResourceInError(
        resource_status=f'{state.action}_{state.status}', status_reason=state.reason
    )


def _state(action, status, reason):
    return types.SimpleNamespace(action=action, status=status, reason=reason)


def _snapshot_state(row):
    return _state(row.get('action') or 'SNAPSHOT', row['status'], row['status_reason'])


class RestService:
    """An orchestration service in the Keystone catalog, called by its REST API."""

    def __init__(self, api, depth):
        self._api = api
        self._headers = {DEPTH_HEADER: str(depth)}

    def validate(self, request):
        """Request a preview, which also validates values. It creates nothing."""
        body = as_heat_shows({'stack_name': 'preview', **request})
        self._api.request_json('POST', '/stacks/preview', body, headers=self._headers)

    def find(self, name):
        try:
            return self.show(name)['id']
        except errors.NotFound:
            return None

    def create(self, name, request):
        body = {'stack_name': name, **request}
        made = self._api.request_json('POST', '/stacks', body, headers=self._headers)
        return made['stack']['id']

    def update(self, stack_id, request):
        self._api.request_json('PUT', self._path(stack_id), request, headers=self._headers)

    def run_action(self, stack_id, verb):
        self._api.request_json('POST', f'{self._path(stack_id)}/actions', {verb: None})

    def snapshot(self, stack_id, name):
        path = f'{self._path(stack_id)}/snapshots'
        return self._api.request_json('POST', path, {'name': name})['id']

    def snapshot_state(self, stack_id, snapshot_id):
        try:
            return _snapshot_state(
                self._api.show(self._snapshot(stack_id, snapshot_id), 'snapshot')
            )
        except errors.NotFound:
            return None

    def restore(self, stack_id, snapshot_id):
        self._api.request_json('POST', f'{self._snapshot(stack_id, snapshot_id)}/restore')

    def delete_snapshot(self, stack_id, snapshot_id):
        self._api.delete(self._snapshot(stack_id, snapshot_id))

    def _snapshot(self, stack_id, snapshot_id):
        return f'{self._path(stack_id)}/snapshots/{snapshot_id}'

    def delete(self, stack_id):
        self._api.delete(self._path(stack_id))

    def state(self, stack_id):
        try:
            stack = self.show(stack_id)
        except errors.NotFound:
            return None
        action, _, status = stack['stack_status'].partition('_')
        return _state(action, status, stack['stack_status_reason'])

    def show(self, name_or_id):
        return self._api.show(f'/stacks/{name_or_id}', 'stack')

    def _path(self, stack_id):
        return f'/stacks/{self.show(stack_id)["stack_name"]}/{stack_id}'


class EngineMethods:
    """This engine, where there is no catalog."""

    def __init__(self, stack):
        self._context = stack.context.for_stack_in(stack.name)
        self._engine = stack.runtime.local_calls

    def validate(self, request):
        self._call('preview_stack', stack_name='preview', **_arguments(request))

    def find(self, name):
        try:
            return self._identity(name)['stack_id']
        except exception.EntityNotFound:
            return None

    def create(self, name, request):
        return self._call_anew('create_stack', stack_name=name, **_arguments(request))['stack_id']

    def update(self, stack_id, request):
        identity = self._identity(stack_id)
        self._call_anew('update_stack', stack_identity=identity, **_arguments(request))

    def run_action(self, stack_id, verb):
        self._call_for(stack_id, f'stack_{verb}')

    def snapshot(self, stack_id, name):
        return self._call_for(stack_id, 'stack_snapshot', name=name)['id']

    def snapshot_state(self, stack_id, snapshot_id):
        try:
            return _snapshot_state(
                self._call_for(stack_id, 'show_snapshot', snapshot_id=snapshot_id)
            )
        except (exception.EntityNotFound, exception.NotFound):
            return None

    def restore(self, stack_id, snapshot_id):
        self._call_for(stack_id, 'stack_restore', snapshot_id=snapshot_id)

    def delete_snapshot(self, stack_id, snapshot_id):
        self._call_for(stack_id, 'delete_snapshot', snapshot_id=snapshot_id)

    def _call_for(self, stack_id, method, **arguments):
        return self._call(method, stack_identity=self._identity(stack_id), **arguments)

    def delete(self, stack_id):
        self._call_for(stack_id, 'delete_stack')

    def show(self, stack_id):
        return self._call_for(stack_id, 'show_stack')[0]

    def state(self, stack_id):
        try:
            stack = self.show(stack_id)
        except exception.EntityNotFound:
            return None
        return _state(stack['stack_action'], stack['stack_status'], stack['stack_status_reason'])

    def _identity(self, name_or_id):
        return self._call('identify_stack', stack_name=name_or_id)

    def _call(self, method, /, **arguments):
        return self._engine.call(self._context, method, **arguments)

    def _call_anew(self, method, **arguments):
        """Call a method for a stack of its own, which counts its validated templates from 0."""
        context = type(self._context).from_dict(self._context.to_dict(), overwrite=False)
        return self._engine.call(context, method, **arguments)


def _arguments(request):
    """Return the arguments of the RPC methods, which take parameters as part of the environment."""
    environment = {**request['environment'], 'parameters': request['parameters'] or {}}
    args = {'timeout_mins': request['timeout_mins'], 'disable_rollback': True}
    return {
        'template': request['template'],
        'params': environment,
        'files': request['files'],
        'args': args,
    }
