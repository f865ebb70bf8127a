"""The signal transport of a deployment, and the inputs that describe it to the server."""

from heat_lite.resources.base.signal_responder import (
    HEAT,
    NONE,
    TEMP_URL,
    ZAQAR,
    SignalResponder,
    with_default_transport,
)
from heat_lite.resources.base.stack_user import SeparateStackUser
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
