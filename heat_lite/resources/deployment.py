"""What the types of software deployments have in common: a configuration with the values of its inputs is laid out for a server, and who
laid it out waits until the server tells what came of it.

It sleeps meanwhile, as wait conditions do. A signal wakes it, through whatever engine it comes.
"""

from heat_lite.common import exception, status
from heat_lite.resources.signal import CFN, HEAT, NONE, TEMP_URL, ZAQAR, SignalResponder, by_usual_way
from heat_lite.resources.stack_user import UserBeside
from heat_lite.template import function, software
from heat_lite.template.attributes import select
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import list_, map_, string, text
from heat_lite.template.software import told

ACTIONS = (status.CREATE, status.UPDATE, status.DELETE, status.SUSPEND, status.RESUME)
WAITING, NOT_WAITING, CALLED_OFF = 'Deploy data available', 'Not waiting for outputs signal', 'Deployment cancelled.'
COMPONENT, UNGROUPED = 'component', 'Heat::Ungrouped'
SHOW = 'show'
#: what HEAT_SIGNAL tells the server -> how that is described
_LOGIN = {
    'auth_url': 'URL for API authentication',
    'username': 'Username for API authentication',
    'user_id': 'User ID for API authentication',
    'password': 'Password for API authentication',
    'project_id': 'ID of project for API authentication',
    'region_name': 'Region name for API authentication',
}
_QUEUE = 'ID of queue to use for signaling output values'
#: seconds between two looks of a deployment that nobody wakes
PATIENCE = 15.0


def common_properties():
    """What deployments and groups of them have alike."""
    return {
        'config': string('The software configuration to apply, by get_resource.', update_allowed=True),
        'input_values': map_('The values of the inputs of the configuration.', update_allowed=True),
        'actions': list_(
            'The actions of the stack in which it is applied; a SoftwareComponent says that itself.',
            default=[status.CREATE, status.UPDATE],
            update_allowed=True,
            constraints=[AllowedValues(list(ACTIONS))],
        ),
        'name': string('A name for the server: it applies its configurations in the order of their names.', update_allowed=True),
        'signal_transport': string(
            'How the server is let in to tell what came of it; NO_SIGNAL: nobody waits for that.',
            default=CFN,
            constraints=[AllowedValues([CFN, TEMP_URL, HEAT, NONE, ZAQAR])],
        ),
    }


def structured_properties():
    """What those have besides whose configurations are maps."""
    return {
        'input_key': string('The key of the maps that become values of inputs.', default='get_input'),
        'input_values_validate': string(
            'Whether an input that nobody gives is null (LAX) or a failure (STRICT).',
            default=software.LAX,
            constraints=[AllowedValues([software.LAX, software.STRICT])],
        ),
    }


class Addressee(UserBeside, SignalResponder):
    """What a server has to know to tell something: it has the way for that among its inputs."""

    signed_verb = 'POST'
    signed_door = 'signal'

    def transport(self):
        return self.properties['signal_transport']

    @property
    def software(self):
        return self.stack.runtime.software(self.context)

    def properties_of(self, definition):
        return by_usual_way(self.stack, super().properties_of(definition))

    def be_reachable(self):
        """The way for signals is made once, when there is something to signal."""
        if self.transport() != NONE and self.user_id is None:
            self.create_user()
            self.open_door()

    def told_inputs(self, action):
        """What the server gets to know besides the inputs of the configuration."""
        identity = self.stack.identifier()
        return [
            told('deploy_server_id', 'ID of the server being deployed to', self.properties['server']),
            told('deploy_action', 'Name of the current action being deployed', action),
            told('deploy_stack_id', 'ID of the stack this deployment belongs to', f'{identity.stack_name}/{identity.stack_id}'),
            told('deploy_resource_name', 'Name of this deployment resource in the stack', self.name),
            told('deploy_signal_transport', 'How the server should signal to heat with the deployment output values.', self.transport()),
            *self._told_of_signals(),
        ]

    def _told_of_signals(self):
        if self.transport() == NONE:
            return []
        if self.transport() in (HEAT, ZAQAR) and self.users is not None:
            known = self._login()
            login = [told(f'deploy_{key}', what, known[key]) for key, what in _LOGIN.items()]
            return [*login, told('deploy_queue_id', _QUEUE, self.queue_id())] if self.transport() == ZAQAR else login
        url, verb = (self.temp_url(), 'PUT') if self.transport() == TEMP_URL else (self.signed_url(), self.signed_verb)
        return [
            told('deploy_signal_id', 'ID of signal to use for signaling output values', url),
            told('deploy_signal_verb', 'HTTP verb to use for signaling output values', verb),
        ]


class Deployment(Addressee):
    """Overridden: ``filled``, what becomes of the configuration when the values of the inputs are known."""

    default_client_name = 'heat'
    entity = 'software_deployments'
    no_signal_actions = ()
    signals_change_attributes = True
    attributes_schema = {
        software.STDOUT: text('What the tool on the server has written.'),
        software.STDERR: text('What it has complained about.'),
        software.STATUS_CODE: text('What it has ended with.'),
    }

    def filled(self, config, values):
        return config

    def validate(self):
        super().validate()
        for name in function.dependencies((self.definition.properties or {}).get('server')):
            server = self.stack.resource_for(name)
            if server.properties_schema.get('user_data_format') and server.properties['user_data_format'] != 'SOFTWARE_CONFIG':
                raise exception.StackValidationFailed(
                    f"Resource {name}'s property user_data_format should be set to SOFTWARE_CONFIG "
                    'since there are software deployments on it.'
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
        there = self.show()
        if there and _is_there(self, there['server_id']):
            yield from self._deploy(status.DELETE)
        self._forget()
        self.close_door()
        self.delete_user()

    def find_existing(self):
        """The deployment is known by the id of its resource before it is made."""
        return self.record.uuid if self._shown(self.record.uuid) else None

    def needs_delete(self):
        return self.resource_id is not None or self.user_id is not None

    def _deploy(self, action):
        """A generator: lays the configuration out for the server and waits for the end, if it is for this action at all."""
        config = self._config()
        if action not in self._actions(config):
            return
        before = self.show()
        if not _is_laid_out(action, before):
            self.be_reachable()
            self._lay_out(action, config, before)
        yield from self._ended()

    def handle_create_cancel(self, _token):
        """Nobody waits for the server any more, which can see it."""
        there = self.show()
        if there and there['status'] == status.IN_PROGRESS:
            self.software.update_deployment(self.resource_id, {'status': status.FAILED, 'status_reason': CALLED_OFF})

    handle_update_cancel = handle_suspend_cancel = handle_resume_cancel = handle_delete_cancel = handle_create_cancel

    def _config(self):
        """The configuration of the template; where it names none there is nothing to apply but the inputs."""
        config_id = self.properties['config']
        nothing = {'name': None, 'group': UNGROUPED, 'config': '', 'inputs': [], 'outputs': [], 'options': {}}
        return self.software.show_config(config_id) if config_id else nothing

    def _actions(self, config):
        if config['group'] == COMPONENT:
            return {action for each in config['config']['configs'] for action in each['actions']}
        return set(self.properties['actions'] or ())

    def _lay_out(self, action, config, before):
        derived = self._derived(action, config, before)
        waits = self.transport() != NONE
        values = {
            'config_id': derived['id'],
            'input_values': dict(self.properties['input_values'] or {}),
            'action': action,
            'status': status.IN_PROGRESS if waits else status.COMPLETE,
            'status_reason': WAITING if waits else NOT_WAITING,
        }
        if before is None:
            place = {'server_id': self.properties['server'], 'stack_user_project_id': self.stack.stack_user_project_id}
            self.resource_id_set(self.software.create_deployment({**values, **place}, self.record.uuid)['id'])
            return
        self.software.update_deployment(self.resource_id, values)
        self._forget_config(before['config_id'])

    def _derived(self, action, config, before):
        """A configuration for this deployment alone, with values. Raises UpdateReplace where an input asks for a new deployment."""
        given = dict(self.properties['input_values'] or {})
        inputs = software.with_values(config['inputs'], given, self.told_inputs(action))
        if action == status.UPDATE and before and software.replaced_by(inputs, _inputs_of(self.software, before['config_id'])):
            raise exception.UpdateReplace(self.name)
        content = self.filled(config['config'], {each['name']: each['value'] for each in inputs})
        name = self.properties['name'] or config['name'] or self.physical_resource_name()
        return self.software.create_config(
            config['group'], name, content, inputs=inputs, outputs=config['outputs'], options=config['options']
        )

    # ------------------------------------------------------------ its end

    def _ended(self):
        """A generator: waits for the end. Raises Error where the server tells of a failure."""
        bells, row_id = self.stack.runtime.bells, self.record.id
        while True:
            bell = bells.hang(row_id, self.patience(PATIENCE))
            # who changes the deployment itself may not find the row yet, in which its id is stored a little later
            bells.share(self.resource_id, bell)
            try:
                if self._has_ended():
                    return
                yield bell
            finally:
                bells.take_down(row_id, bell)
                bells.take_down(self.resource_id, bell)

    def _has_ended(self):
        self.hear()
        found = self.software.show_deployment(self.resource_id)
        if found['status'] == status.FAILED:
            raise exception.Error(f'Deployment to server failed: {found["status_reason"]}')
        return found['status'] != status.IN_PROGRESS

    def handle_signal(self, details=None):
        """A quick server may tell what came of it before this resource knows that it has been laid out: that is kept in its row later."""
        deployment_id = self.resource_id or self.record.uuid
        return self.software.take_signal(deployment_id, details) if self._shown(deployment_id) else None

    def _forget(self):
        there = self.show()
        if there:
            self.software.delete_deployment(self.resource_id)
            self._forget_config(there['config_id'])

    def _forget_config(self, config_id):
        try:
            self.software.delete_config(config_id)
        except exception.NotFound:
            return

    # ------------------------------------------------------------ what others read

    def _shown(self, deployment_id):
        try:
            return self.software.show_deployment(deployment_id)
        except exception.NotFound:
            return None

    def show(self):
        return None if self.resource_id is None else self._shown(self.resource_id)

    def has_attribute(self, name):
        """Which outputs its configuration has is known only when that is there."""
        return True

    def attribute(self, *path):
        if not path or path[0] == SHOW or self.action == status.INIT:
            return super().attribute(*path)
        first, *rest = path
        there = self.show()
        if first not in self.attributes_schema and first not in self._outputs(there):
            raise exception.InvalidTemplateAttribute(resource=self.name, key=first)
        return select(((there or {}).get('output_values') or {}).get(first), rest)

    def _outputs(self, there):
        try:
            config = self.software.show_config(there['config_id']) if there else self._config()
        except exception.NotFound:
            return ()
        return {each['name'] for each in config['outputs']}


def _is_there(resource, server_id):
    """Where the server has gone there is nobody to wait for. Any server that a stack knows is there; others the cloud knows."""
    return resource.software.knows_server(server_id) or resource.stack.clients().refusal('nova.server', server_id) is None


def _inputs_of(known, config_id):
    try:
        return known.show_config(config_id)['inputs']
    except exception.NotFound:
        return []


def _is_laid_out(action, deployment):
    """Whether an interrupted attempt has come so far: then the server is at work, or done. An update may always be another one."""
    if deployment is None or deployment['action'] != action or deployment['status_reason'] == CALLED_OFF:
        return False
    return action == status.CREATE or action == status.DELETE and deployment['status'] != status.FAILED
