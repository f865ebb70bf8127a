"""Base classes of software deployments: a configuration with the values of its inputs is stored for
a server, and the deployment waits until the server signals the result.

The wait works as in wait conditions: a signal through any engine ends it.
"""

import contextlib
import datetime

from heat_lite.common import exception, status
from heat_lite.resources.base.signal_responder import (
    CFN,
    HEAT,
    NONE,
    TEMP_URL,
    ZAQAR,
    SignalResponder,
    with_default_transport,
)
from heat_lite.resources.base.stack_user import SeparateStackUser
from heat_lite.template import function, software
from heat_lite.template.attributes import select
from heat_lite.template.schema import list_, map_, string
from heat_lite.template.software import derived_input

#: the inputs of HEAT_SIGNAL and ZAQAR_SIGNAL -> their descriptions
_LOGIN = {
    'auth_url': 'URL for API authentication',
    'username': 'Username for API authentication',
    'user_id': 'User ID for API authentication',
    'password': 'Password for API authentication',
    'project_id': 'ID of project for API authentication',
    'region_name': 'Region name for API authentication',
}
_QUEUE = 'ID of queue to use for signaling output values'


class SignalledDeployment(SeparateStackUser, SignalResponder):
    """A deployment with a signal transport, which the server finds among its inputs."""

    signed_method = 'POST'
    signed_endpoint = 'signal'

    transport_property = 'signal_transport'
    queue_needs_login = True
    unsignalled = ''

    @property
    def software(self):
        return self.stack.runtime.software(self.context)

    def properties_of(self, definition):
        return with_default_transport(self.stack, super().properties_of(definition))

    def ensure_signal_transport(self):
        """Create the user and the signal transport before the first deployment that needs them."""
        if self.transport() != NONE and self.user_id is None and self.temp_url() is None:
            self.create_user()
            self.create_signal_transport()

    def server_id(self):
        """Return the id by which the stored deployment knows its server."""
        return self.software.server_id(self.properties['server'])

    def sign_for_delete(self):
        """Let the signals of the last deployment name this resource, and not its replacement."""
        if self.transport() != NONE and self.external_transport() is None:
            self.signals_by_id = True
            self.create_signal_transport()

    def derived_inputs(self, action):
        """Return the inputs that the service adds to those of the configuration."""
        identity = self.stack.identifier()
        return [
            derived_input(
                'deploy_server_id', 'ID of the server being deployed to', self.server_id()
            ),
            derived_input('deploy_action', 'Name of the current action being deployed', action),
            derived_input(
                'deploy_stack_id',
                'ID of the stack this deployment belongs to',
                f'{identity.stack_name}/{identity.stack_id}',
            ),
            derived_input(
                'deploy_resource_name', 'Name of this deployment resource in the stack', self.name
            ),
            derived_input(
                'deploy_signal_transport',
                'How the server should signal to heat with the deployment output values.',
                self.transport(),
            ),
            *self._signal_inputs(),
        ]

    def _signal_inputs(self):
        if self.transport() == NONE:
            return []
        if self.transport() in (HEAT, ZAQAR) and self.users is not None:
            known = self.login_values()
            login = [
                derived_input(f'deploy_{key}', what, known[key]) for key, what in _LOGIN.items()
            ]
            return (
                [*login, derived_input('deploy_queue_id', _QUEUE, self.queue_id())]
                if self.transport() == ZAQAR
                else login
            )
        url, verb = (
            (self.temp_url(), 'PUT')
            if self.transport() == TEMP_URL
            else (self.signed_url(), self.signed_method)
        )
        return [
            derived_input(
                'deploy_signal_id', 'ID of signal to use for signaling output values', url
            ),
            derived_input(
                'deploy_signal_verb', 'HTTP verb to use for signaling output values', verb
            ),
        ]


ACTIONS = (status.CREATE, status.UPDATE, status.DELETE, status.SUSPEND, status.RESUME)
WAITING, NOT_WAITING, CANCELLED = (
    'Deploy data available',
    'Not waiting for outputs signal',
    'Deployment cancelled.',
)
COMPONENT, UNGROUPED = 'component', 'Heat::Ungrouped'
SHOW = 'show'
#: seconds between two polls of a deployment that receives no notification
POLL_SECONDS = 15.0


#: the schemas of the properties that deployments and deployment groups share
COMMON_PROPERTIES = {
    'config': string('ID of the software configuration to apply.', update_allowed=True),
    'input_values': map_('Values of the inputs of the configuration.', update_allowed=True),
    'actions': list_(
        'Stack actions on which the configuration is applied. A '
        'SoftwareComponent defines its own actions.',
        default=[status.CREATE, status.UPDATE],
        update_allowed=True,
        allowed=list(ACTIONS),
    ),
    'name': string(
        'Name of the deployment. The server applies its deployments in the order of their names.',
        update_allowed=True,
    ),
    'signal_transport': string(
        'Transport of the signals of the server. NO_SIGNAL: the deployment '
        'completes without waiting for a signal.',
        default=CFN,
        allowed=[CFN, TEMP_URL, HEAT, NONE, ZAQAR],
    ),
}


#: the schemas of the properties of deployments whose configurations are maps
STRUCTURED_PROPERTIES = {
    'input_key': string(
        'Key of the maps in the configuration that are replaced by values of inputs.',
        default='get_input',
    ),
    'input_values_validate': string(
        'Validation of inputs without a value: LAX makes them null, STRICT '
        'makes the deployment fail.',
        default=software.LAX,
        allowed=[software.LAX, software.STRICT],
    ),
}


class Deployment(SignalledDeployment):
    """A deployment.

    Types override ``substitute_inputs``, which puts the values of inputs into the configuration.
    """

    default_client_name = 'heat'
    entity = 'software_deployments'
    no_signal_actions = ()
    signals_change_attributes = True
    signals_in_parallel = True
    attributes_schema = {
        software.STDOUT: 'Standard output of the tool on the server.',
        software.STDERR: 'Standard error of the tool on the server.',
        software.STATUS_CODE: 'Exit status of the tool on the server.',
    }

    def substitute_inputs(self, config, values):
        return config

    def validate(self):
        super().validate()
        for name in function.dependencies((self.definition.properties or {}).get('server')):
            server = self.stack.resource_for(name)
            if (
                server.properties_schema.get('user_data_format')
                and server.properties['user_data_format'] != 'SOFTWARE_CONFIG'
            ):
                raise exception.StackValidationFailed(
                    f"Resource {name}'s property user_data_format should be set to SOFTWARE_CONFIG "
                    'since there are software deployments on it.'
                )
            if (
                'software_deployments' in server.properties_schema
                and not server.properties['software_deployments']
            ):
                raise exception.StackValidationFailed(
                    message=f'{self.name}: the container {name} has no agent for software '
                    'deployments; set its property software_deployments to true, and use an image '
                    'with heat-lite-agent'
                )

    # ------------------------------------------------------------ actions

    def handle_create(self):
        yield from self._deploy(status.CREATE)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff:
            yield from self._deploy(status.UPDATE)

    def handle_suspend(self):
        yield from self._deploy(status.SUSPEND)

    def handle_resume(self):
        yield from self._deploy(status.RESUME)

    def handle_delete(self):
        """A generator: deploy for DELETE, then delete what is stored.

        Nothing is deployed if the configuration or the deployment itself was deleted.
        """
        deployment = self.show()
        if deployment and _server_exists(self, deployment['server_id']):
            with contextlib.suppress(exception.NotFound):
                yield from self._deploy(status.DELETE)
        self._delete_deployment()
        self.delete_signal_transport()
        self.delete_user()

    def find_existing(self):
        """Return the id of the stored deployment: it equals the UUID of the resource."""
        self.user_may_be_lost = True
        return self.record.uuid if _find(self, self.record.uuid) else None

    def _deploy(self, action):
        """Generator: store the configuration for the server and wait for the result, if the action
        is among those of the deployment.
        """
        config = self._config()
        if action not in self._actions(config):
            return
        before = self.show()
        if not _is_deployed(action, before):
            self.ensure_signal_transport()
            if action == status.DELETE:
                self.sign_for_delete()
            self._store_deployment(action, config, before)
        yield from self._wait_for_signal()

    def handle_create_cancel(self, _token):
        """Mark the deployment as failed, so that the server sees that the wait was cancelled."""
        deployment = self.show()
        if deployment and deployment['status'] == status.IN_PROGRESS:
            self.software.update_deployment(
                self.resource_id, {'status': status.FAILED, 'status_reason': CANCELLED}
            )

    handle_update_cancel = handle_suspend_cancel = handle_resume_cancel = handle_delete_cancel = (
        handle_create_cancel
    )

    def _config(self):
        """Return the configuration. Without one, only the inputs are deployed."""
        config_id = self.properties['config']
        empty = {
            'name': None,
            'group': UNGROUPED,
            'config': '',
            'inputs': [],
            'outputs': [],
            'options': {},
        }
        return self.software.show_config(config_id) if config_id else empty

    def _actions(self, config):
        if config['group'] == COMPONENT:
            return {action for each in config['config']['configs'] for action in each['actions']}
        return set(self.properties['actions'] or ())

    def _store_deployment(self, action, config, before):
        derived = self._derive_config(action, config, before)
        waits = self.transport() != NONE
        values = {
            'config_id': derived['id'],
            'input_values': dict(self.properties['input_values'] or {}),
            'action': action,
            'status': status.IN_PROGRESS if waits else status.COMPLETE,
            'status_reason': WAITING if waits else NOT_WAITING,
        }
        if before is None:
            location = {
                'server_id': self.server_id(),
                'stack_user_project_id': self.stack.stack_user_project_id,
            }
            self.resource_id_set(
                self.software.create_deployment({**values, **location}, self.record.uuid)['id']
            )
            return
        self.software.update_deployment(self.resource_id, values)
        self._delete_config(before['config_id'])

    def _derive_config(self, action, config, before):
        """Return a new configuration with the values of this deployment.

        Raises UpdateReplace if an input requires a new deployment.
        """
        given = dict(self.properties['input_values'] or {})
        inputs = software.merge_values(config['inputs'], given, self.derived_inputs(action))
        if (
            action == status.UPDATE
            and before
            and software.requires_replacement(
                inputs, _inputs_of(self.software, before['config_id'])
            )
        ):
            raise exception.UpdateReplace(self.name)
        content = self.substitute_inputs(
            config['config'], {each['name']: each['value'] for each in inputs}
        )
        name = self.properties['name'] or config['name'] or self.physical_resource_name()
        return self.software.create_config(
            config['group'],
            name,
            content,
            inputs=inputs,
            outputs=config['outputs'],
            options=config['options'],
        )

    # ------------------------------------------------------------ the result

    def _wait_for_signal(self):
        """Generator: wait for the result. Raises Error if the server reports a failure."""
        waits, row_id = self.stack.runtime.waits, self.record.id
        while True:
            waiter = waits.register(row_id, self.poll_interval(POLL_SECONDS))
            # a change of the deployment itself may precede the commit of the row that maps its id
            waits.alias(self.resource_id, waiter)
            try:
                if self._is_finished():
                    return
                yield waiter
            finally:
                waits.unregister(row_id, waiter)
                waits.unregister(self.resource_id, waiter)

    def _is_finished(self):
        self.poll_signals()
        found = self.software.show_deployment(self.resource_id)
        if found['status'] == status.FAILED:
            raise exception.Error(f'Deployment to server failed: {found["status_reason"]}')
        return found['status'] != status.IN_PROGRESS

    def signals_since(self):
        """Return when the deployment was changed: what is older is not its result."""
        changed = (self.show() or {}).get('updated_time')
        return str(datetime.datetime.fromisoformat(changed).timestamp()) if changed else ''

    def check_signal(self, details):
        software.check_signal(details)

    def handle_signal(self, details=None):
        """Store a signal.

        It may arrive before the resource's id is stored: then the UUID of the resource identifies
        the deployment.
        """
        deployment_id = self.resource_id or self.record.uuid
        return (
            self.software.store_signal(deployment_id, details)
            if _find(self, deployment_id)
            else None
        )

    def _delete_deployment(self):
        deployment = self.show()
        if deployment:
            with contextlib.suppress(exception.NotFound):  # deleted since
                self.software.delete_deployment(self.resource_id)
            self._delete_config(deployment['config_id'])

    def _delete_config(self, config_id):
        try:
            self.software.delete_config(config_id)
        except exception.NotFound:
            return

    # ------------------------------------------------------------ references and attributes

    def show(self):
        return None if self.resource_id is None else _find(self, self.resource_id)

    def object_exists(self):
        return self.show() is not None

    def has_attribute(self, name):
        """Return True: the outputs of the configuration are unknown until it is stored."""
        return True

    def attribute(self, *path):
        if not path or path[0] == SHOW or self.action == status.INIT:
            return super().attribute(*path)
        first, *rest = path
        deployment = self.show()
        if first not in self.attributes_schema and first not in self._outputs(deployment):
            raise exception.InvalidTemplateAttribute(resource=self.name, key=first)
        return select(((deployment or {}).get('output_values') or {}).get(first), rest)

    def _outputs(self, deployment):
        try:
            config = (
                self.software.show_config(deployment['config_id']) if deployment else self._config()
            )
        except exception.NotFound:
            return ()
        return {each['name'] for each in config['outputs']}


def _server_exists(resource, server_id):
    """Return whether the server exists: without it, no result will arrive.

    The servers of stacks are known here, others are requested from Nova.
    """
    return (
        resource.software.is_stack_server(server_id)
        or resource.stack.clients().lookup_error('nova.server', server_id) is None
    )


def _inputs_of(known, config_id):
    try:
        return known.show_config(config_id)['inputs']
    except exception.NotFound:
        return []


def _is_deployed(action, deployment):
    """Return whether an interrupted attempt has stored this deployment already.

    An update never counts: it may be a different one.
    """
    if (
        deployment is None
        or deployment['action'] != action
        or deployment['status_reason'] == CANCELLED
    ):
        return False
    return (
        action == status.CREATE or action == status.DELETE and deployment['status'] != status.FAILED
    )


def _find(resource, deployment_id):
    """Return a deployment; None if it does not exist."""
    try:
        return resource.software.show_deployment(deployment_id)
    except exception.NotFound:
        return None
