"""Software configurations and their deployments, as one request sees them. A change wakes whoever waits for the end of a deployment."""

import datetime
import time

from heat_lite.common import exception, identifier, status
from heat_lite.db import resources as db_resources
from heat_lite.db import software as db_software
from heat_lite.db import stacks as db_stacks
from heat_lite.db.types import utcnow
from heat_lite.engine import format, metadata, record, signals
from heat_lite.engine import stack as engine_stack
from heat_lite.template import software

#: columns of both tables are as long
LABEL, SERVER, PROJECT = 255, 36, 64
#: seconds between two looks at a deployment that nobody rings for
PATIENCE = 15.0
RECEIVED = 'Outputs received'


class Software:
    """``context`` says whose they are."""

    def __init__(self, runtime, context):
        self._runtime = runtime
        self._context = context

    # ------------------------------------------------------------ configurations

    def create_config(self, group, name, config, inputs=None, outputs=None, options=None, config_id=None):
        """What ``show_config`` gives of a new one, with the id if one is given. Raises Invalid, RequestLimitExceeded."""
        self._refuse_more('software configs', self._runtime.limits.max_software_configs_per_tenant, db_software.count_configs)
        values = {'name': _label('name', name), 'group': _label('group', group)}
        values['config'] = software.normal(config, inputs, outputs, options)
        if config_id is not None:
            values['id'] = config_id
        return self.show_config(db_software.create_config(self._context, values))

    def show_config(self, config_id):
        return _config(self._config(config_id))

    def list_configs(self, limit=None, marker=None, tenant_safe=True):
        rows = db_software.list_configs(self._context, limit, marker, tenant_safe)
        return [_label_of(row, with_project=self._context.is_admin or not tenant_safe) for row in rows]

    def delete_config(self, config_id):
        """Raises NotFound, and InvalidRestrictedAction while a deployment uses it."""
        self._config(config_id)
        db_software.delete_config(self._context, config_id)

    def _config(self, config_id):
        row = None if config_id is None else db_software.get_config(self._context, str(config_id))
        if row is None:
            raise exception.NotFound(f'Software config with id {config_id} not found')
        return row

    # ------------------------------------------------------------ deployments

    def create_deployment(self, values, deployment_id=None):
        """``values``: config_id, server_id, input_values, action, status, status_reason, stack_user_project_id. What ``show`` gives."""
        self._refuse_more('software deployments', self._runtime.limits.max_software_deployments_per_tenant, db_software.count_deployments)
        self._config(values.get('config_id'))
        if values.get('server_id') is None:
            raise exception.Invalid(reason='a deployment needs a server_id')
        _label('server_id', values['server_id'], SERVER)
        _label('stack_user_project_id', values.get('stack_user_project_id'), PROJECT)
        row = {**values, 'input_values': values.get('input_values') or {}}
        if deployment_id is not None:
            row['id'] = deployment_id
        made = db_software.create_deployment(self._context, row)
        self._tell_server(values['server_id'])
        return self.show_deployment(made)

    def show_deployment(self, deployment_id):
        return _deployment(self._deployment(deployment_id))

    def list_deployments(self, server_id=None):
        return [_deployment(row) for row in db_software.list_deployments(self._context, server_id or None)]

    def update_deployment(self, deployment_id, values):
        """Change what ``values`` has; None leaves a column as it is. What ``show`` gives."""
        row = self._deployment(deployment_id)
        changes = {key: value for key, value in values.items() if value is not None}
        if 'config_id' in changes:
            self._config(changes['config_id'])
        changes['updated_at'] = _when(changes.get('updated_at'))
        db_software.update_deployment(self._context, deployment_id, changes)
        if 'config_id' in changes:
            self._tell_server(row.server_id)
        self._ring(deployment_id)
        return self.show_deployment(deployment_id)

    def delete_deployment(self, deployment_id):
        row = self._deployment(deployment_id)
        db_software.delete_deployment(self._context, deployment_id)
        self._tell_server(row.server_id)
        self._ring(deployment_id)

    def signal_deployment(self, deployment_id, details, updated_at=None):
        """Take a signal, and wake who waits for it."""
        said = self.take_signal(deployment_id, details, updated_at)
        self._ring(deployment_id)
        return said

    def take_signal(self, deployment_id, details, updated_at=None):
        """Store what a server tells of the end of a deployment. A sentence about it; None where nobody has waited for that."""
        if not deployment_id:
            raise exception.Invalid(reason='a signal to a deployment needs its id')
        row = self._deployment(deployment_id)
        if row.status != status.IN_PROGRESS:
            return None
        outputs = (self._config(row.config_id).config or {}).get('outputs') or ()
        outcome = software.outcome(outputs, details if isinstance(details, dict) else {}, row.output_values)
        end = {'status': status.FAILED, 'status_reason': outcome.reason()} if outcome.reasons else _END
        values = {'output_values': outcome.outputs, 'updated_at': _when(updated_at), **end}
        # of two signals at the same time one is the first, and the other finds nobody waiting
        if not db_software.update_deployment(self._context, deployment_id, values, expect=status.IN_PROGRESS):
            return None
        return f'deployment {deployment_id} {"failed" if outcome.reasons else "succeeded"}'

    def ended(self, deployment_id, seconds):
        """A generator: waits until the deployment is not in progress any more, ``seconds`` at most. Gives it as it is then."""
        bells, until = self._runtime.bells, time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            bell = bells.hang(deployment_id, min(PATIENCE, max(0, left)))
            try:
                found = self.show_deployment(deployment_id)
                if found['status'] != status.IN_PROGRESS or left <= 0:
                    return found
                yield bell
            finally:
                bells.take_down(deployment_id, bell)

    def _deployment(self, deployment_id):
        row = db_software.get_deployment(self._context, str(deployment_id))
        if row is None:
            raise exception.NotFound(f'Deployment with id {deployment_id} not found')
        return row

    # ------------------------------------------------------------ servers

    def of_server(self, server_id):
        """What the agent on a server is to do: the configurations with the values of their inputs, sorted by their names."""
        rows = db_software.configs_of_server(self._context, server_id)
        return [_config(row) for row in sorted(rows, key=lambda row: row.name or '')]

    def knows_server(self, server_id):
        """Whether it is a resource of a stack."""
        return db_resources.get_by_physical_id(self._context, server_id) is not None

    def _tell_server(self, server_id):
        """A server that is a resource of a stack has what it is to do in its metadata: there its agent looks."""
        row = db_resources.get_by_physical_id(self._context, server_id)
        if row is not None:
            told = {'deployments': self.of_server(server_id)}
            made = metadata.change(self._context, record.Record.from_row(None, row), lambda known: {**known, **told})
            if self._is_read_elsewhere(made):
                stack = engine_stack.Stack.from_row(self._runtime, self._context, db_stacks.get(self._context, row.stack_id))
                stack.resource_of(next(each for each in stack.rows() if each.id == row.id)).metadata_told(made)

    @staticmethod
    def _is_read_elsewhere(known):
        """Whether the agent of the server does not come here for it."""
        return bool({'request', 'zaqar'} & set((known.get('os-collect-config') or {}).get('collectors') or ()))

    # ------------------------------------------------------------ how

    def _refuse_more(self, what, limit, count):
        if 0 <= limit <= count(self._context):
            raise exception.RequestLimitExceeded(f'You have reached the maximum {what} per tenant, {limit}. Please delete some {what}.')

    def _ring(self, deployment_id):
        """Wake who waits for it: here by its id, and where its resource is worked on, which may be in another engine."""
        self._runtime.bells.ring(deployment_id)
        row = db_resources.get_by_physical_id(self._context, deployment_id)
        stack = row and db_stacks.get(self._context, row.stack_id)
        if stack:
            identity = identifier.HeatIdentifier(stack.tenant, stack.name, stack.id)
            signals.spread(self._runtime, self._context, identity, row.id)


_END = {'status': status.COMPLETE, 'status_reason': RECEIVED}


def _label(key, value, longest=LABEL):
    """Texts that fit their columns; clients may send numbers."""
    if value is not None and len(str(value)) > longest:
        raise exception.Invalid(reason=f'"{key}" should be no more than {longest} characters')
    return None if value is None else str(value)


def _when(given):
    """The time as it travels between processes, as text; now if none is given."""
    return utcnow() if given is None else datetime.datetime.fromisoformat(str(given))


def _label_of(row, with_project):
    told = {'id': row.id, 'name': row.name, 'group': row.group, 'creation_time': format.time(row.created_at)}
    return {**told, 'project': row.tenant} if with_project else told


def _config(row):
    parts = row.config or {}
    return {
        **_label_of(row, with_project=False),
        'config': parts.get('config'),
        'inputs': parts.get('inputs') or [],
        'outputs': parts.get('outputs') or [],
        'options': parts.get('options') or {},
    }


def _deployment(row):
    told = {
        'id': row.id,
        'server_id': row.server_id,
        'input_values': row.input_values or {},
        'output_values': row.output_values,
        'action': row.action,
        'status': row.status,
        'status_reason': row.status_reason,
        'config_id': row.config_id,
        'creation_time': format.time(row.created_at),
    }
    if row.updated_at is not None:
        told['updated_time'] = format.time(row.updated_at)
    return told
