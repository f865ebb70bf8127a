"""Software configurations and deployments, as one request sees them.

A change wakes the tasks that wait for a deployment.

Tests: tests/functional/test_software.py.
"""

import dataclasses
import datetime
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common import exception, identifier, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value, Values, without_none
from heat_lite.db import (
    column_types,
    resources as db_resources,
    software as db_software,
    stacks as db_stacks,
)
from heat_lite.engine.resource import record, resource_metadata
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.scheduler import Work
from heat_lite.engine.signals import signal_tasks
from heat_lite.engine.stack import format
from heat_lite.engine.stack.stack import Stack
from heat_lite.template import software

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource

#: lengths of columns in both tables
LABEL, SERVER, PROJECT = 255, 36, 64
#: columns of a deployment that hold short texts, and their lengths
DEPLOYMENT_TEXTS = {
    'server_id': SERVER,
    'action': LABEL,
    'status': LABEL,
    'stack_user_project_id': PROJECT,
}
#: seconds between two polls of a deployment, in case a notification is lost
POLL_SECONDS = 15.0
RECEIVED = 'Outputs received'
#: the id of a container, which is longer than the column
CONTAINER = re.compile('[0-9a-f]{64}')


@dataclasses.dataclass
class Software:
    """The software configurations and deployments visible to ``context``."""

    runtime: Runtime
    context: RequestContext

    # ------------------------------------------------------------ configurations

    def create_config(
        self,
        group: str,
        name: str,
        config: Value,
        inputs: Value = None,
        outputs: Value = None,
        options: Value = None,
        config_id: str | None = None,
    ) -> Values:
        """Create a configuration and return it as ``show_config``.

        Raises Invalid, RequestLimitExceeded.
        """
        self._require_quota(
            'software configs',
            self.runtime.limits.max_software_configs_per_tenant,
            db_software.count_configs,
        )
        values: Values = {'name': _label('name', name), 'group': _label('group', group)}
        values['config'] = software.normalize_config(config, inputs, outputs, options)
        if config_id is not None:
            values['id'] = config_id
        return self.show_config(db_software.create_config(self.context, values))

    def show_config(self, config_id: str) -> Values:
        return _config(self._config(config_id))

    def list_configs(
        self, limit: int | None = None, marker: str | None = None, tenant_safe: bool = True
    ) -> list[Values]:
        rows = db_software.list_configs(self.context, limit, marker, tenant_safe)
        return [
            _config_summary(row, with_project=self.context.is_admin or not tenant_safe)
            for row in rows
        ]

    def delete_config(self, config_id: str) -> None:
        """Delete a configuration.

        Raises NotFound, and InvalidRestrictedAction while a deployment uses it.
        """
        self._config(config_id)
        db_software.delete_config(self.context, config_id)

    def _config(self, config_id: str | None) -> Row:
        row = None if config_id is None else db_software.get_config(self.context, str(config_id))
        if row is None:
            raise exception.NotFound(f'Software config with id {config_id} not found')
        return row

    # ------------------------------------------------------------ deployments

    def create_deployment(self, values: Values, deployment_id: str | None = None) -> Values:
        """Create a deployment and return it as ``show_deployment``.

        ``values``: config_id, server_id, input_values, action, status, status_reason,
        stack_user_project_id.
        """
        self._require_quota(
            'software deployments',
            self.runtime.limits.max_software_deployments_per_tenant,
            db_software.count_deployments,
        )
        self._config(values.get('config_id'))
        if values.get('server_id') is None:
            raise exception.Invalid(reason='a deployment needs a server_id')
        named = {**values, 'server_id': self.server_id(values['server_id'])}
        row = {**_texts(named), 'input_values': values.get('input_values') or {}}
        if deployment_id is not None:
            row['id'] = deployment_id
        made = db_software.create_deployment(self.context, row)
        self._update_server_metadata(row['server_id'])
        return self.show_deployment(made)

    def require_own_user_project(self, user_project_id: Value) -> None:
        """Raise Invalid unless the project is that of the users of a stack of the requester.

        The users of this project see the deployment, and a server of theirs executes it. A
        deployment resource passes the project of its own stack and needs no check.
        """
        own = {None, '', self.context.tenant_id}
        _label('stack_user_project_id', user_project_id, PROJECT)
        if user_project_id in own or db_stacks.owns_user_project(
            self.context, str(user_project_id)
        ):
            return
        raise exception.Invalid(
            reason=f'stack_user_project_id: no stack of project {self.context.tenant_id} has its '
            'users in this project. Use the stack_user_project_id of an existing stack, or omit it'
        )

    def show_deployment(self, deployment_id: str) -> Values:
        return _deployment(self._deployment(deployment_id))

    def list_deployments(self, server_id: str | None = None) -> list[Values]:
        return [
            _deployment(row)
            for row in db_software.list_deployments(
                self.context, self.server_id(server_id) if server_id else None
            )
        ]

    def update_deployment(self, deployment_id: str, values: Values) -> Values:
        """Change the columns in ``values`` that are not None. Return the deployment."""
        row = self._deployment(deployment_id)
        changes = _texts(without_none(values))
        if 'config_id' in changes:
            self._config(changes['config_id'])
        changes['updated_at'] = _when(changes.get('updated_at'))
        db_software.update_deployment(self.context, deployment_id, lambda row: changes)
        if 'config_id' in changes:
            self._update_server_metadata(row.server_id)
        self._notify(deployment_id)
        return self.show_deployment(deployment_id)

    def delete_deployment(self, deployment_id: str) -> None:
        row = self._deployment(deployment_id)
        db_software.delete_deployment(self.context, deployment_id)
        self._update_server_metadata(row.server_id)
        self._notify(deployment_id)

    def signal_deployment(
        self, deployment_id: str, details: Value, updated_at: Value = None
    ) -> str | None:
        """Store a signal and wake the tasks that wait for it. Return as ``store_signal``."""
        result = self.store_signal(deployment_id, details, updated_at)
        self._notify(deployment_id)
        return result

    def store_signal(
        self, deployment_id: str, details: Value, updated_at: Value = None
    ) -> str | None:
        """Store the result that a server reports.

        Return a sentence about it; None if the deployment had ended.
        """
        if not deployment_id:
            raise exception.Invalid(reason='a signal to a deployment needs its id')
        software.check_signal(details)
        self._deployment(deployment_id)

        def end(row: Row) -> Values | None:
            if row.status != status.IN_PROGRESS:
                return None
            outputs = (self._config(row.config_id).config or {}).get('outputs') or ()
            outcome = software.deployment_result(outputs, details or {}, row.output_values)
            failure = {'status': status.FAILED, 'status_reason': outcome.reason()}
            values = {'output_values': outcome.outputs, 'updated_at': _when(updated_at)}
            return {**values, **(failure if outcome.reasons else _END)}

        # of two simultaneous signals only the first is stored
        stored = db_software.update_deployment(self.context, deployment_id, end)
        if stored is None:
            return None
        result = 'failed' if stored['status'] == status.FAILED else 'succeeded'
        return f'deployment {deployment_id} {result}'

    def ended(self, deployment_id: str, seconds: float) -> Work[Values]:
        """Wait for the end of a deployment, ``seconds`` at most. Return it. A generator."""
        waits, until = self.runtime.waits, time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            wakeup = waits.register(deployment_id, min(POLL_SECONDS, max(0, left)))
            try:
                found = self.show_deployment(deployment_id)
                if found['status'] != status.IN_PROGRESS or left <= 0:
                    return found
                yield wakeup
            finally:
                waits.unregister(deployment_id, wakeup)

    def _deployment(self, deployment_id: str) -> Row:
        row = db_software.get_deployment(self.context, str(deployment_id))
        if row is None:
            raise exception.NotFound(f'Deployment with id {deployment_id} not found')
        return row

    # ------------------------------------------------------------ servers

    def configs_for_server(self, server_id: str) -> list[Values]:
        """Return the configurations for the agent of a server, with input values, sorted by
        name.
        """
        rows = db_software.configs_of_server(self.context, self.server_id(server_id))
        return [_config(row) for row in sorted(rows, key=lambda row: row.name or '')]

    def server_id(self, given: str) -> str:
        """Return the id by which deployments know a server.

        Of a container of a stack it is the UUID of its resource.
        """
        if not CONTAINER.fullmatch(str(given)):
            return given
        row = db_resources.get_by_physical_id(self.context, given)
        return given if row is None else row.uuid

    def is_stack_server(self, server_id: str) -> bool:
        """Return whether the server is a resource of a stack, where an agent can run now."""
        row = db_resources.get_by_physical_id(self.context, server_id)
        if row is not None:
            return True
        row = db_resources.get_by_uuid(self.context, server_id)
        server = row and self._resource_of(row)
        return server is not None and server.runs_agent()

    def _update_server_metadata(self, server_id: str) -> None:
        """Store the deployments in the metadata of a server of a stack, where its agent reads
        them. A server that is deleted meanwhile has no agent any more, so this is no error.
        """
        row = db_resources.get_by_physical_id(self.context, server_id)
        if row is None:
            return
        server = record.Record.from_row(None, row)
        # read again after a concurrent change, or a deployment stored meanwhile would be lost
        try:
            resource_metadata.change_metadata(
                self.context,
                server,
                lambda known: {**known, 'deployments': self.configs_for_server(server_id)},
            )
        except exception.EntityNotFound:
            return
        self._publish_newest(row, server)

    def _publish_newest(self, row: Row, server: record.Record) -> None:
        """Publish the metadata of a server where its agent reads them from another service.

        They are read again afterwards: concurrent publications end in any order, and the last one
        must be that of the newest metadata.
        """
        published = None
        while True:
            known = resource_metadata.read_metadata(server) or {}
            if known == published or not self._is_published(known):
                return
            self._publish(row, known)
            published = known

    def _publish(self, row: Row, metadata: Values) -> None:
        """Call ``metadata_updated`` of the server in this row, unless it is gone."""
        server = self._resource_of(row)
        if server is not None:
            server.metadata_updated(metadata)

    def _resource_of(self, row: Row) -> 'Resource | None':
        """Return the resource of a row; None if it is gone."""
        stack_row = db_stacks.get(self.context, row.stack_id)
        if stack_row is None:
            return None
        stack = Stack.from_row(self.runtime, self.context, stack_row)
        found = next((each for each in stack.records.all() if each.id == row.id), None)
        return None if found is None else stack.resource_of(found)

    @staticmethod
    def _is_published(known: Values) -> bool:
        """Return whether the agent of the server reads its metadata from another service."""
        return bool(
            {'request', 'zaqar'}
            & set((known.get('os-collect-config') or {}).get('collectors') or ())
        )

    # ------------------------------------------------------------ helpers

    def _require_quota(self, what: str, limit: int, count: Callable[[RequestContext], int]) -> None:
        if 0 <= limit <= count(self.context):
            raise exception.RequestLimitExceeded(
                f'You have reached the maximum {what} per tenant, {limit}. '
                f'Please delete some {what}.'
            )

    def _notify(self, deployment_id: str) -> None:
        """Wake the tasks that wait for a deployment, by its id here, or by its row in any
        engine.
        """
        self.runtime.waits.notify(deployment_id)
        row = db_resources.get_by_physical_id(self.context, deployment_id)
        stack = row and db_stacks.get(self.context, row.stack_id)
        if stack:
            identity = identifier.HeatIdentifier(stack.tenant, stack.name, stack.id)
            signal_tasks.notify_waiters(
                self.runtime, self.context, identity, row.id, stack.convergence
            )


_END = {'status': status.COMPLETE, 'status_reason': RECEIVED}


def _label(key: str, value: Value, longest: int = LABEL) -> str | None:
    """Return a text that fits its column. Clients may send numbers. Raises Invalid."""
    if value is not None and len(str(value)) > longest:
        raise exception.Invalid(reason=f'"{key}" should be no more than {longest} characters')
    return None if value is None else str(value)


def _texts(values: Values) -> Values:
    """Return the values of a deployment with texts that fit their columns. Raises Invalid."""
    fitting = {
        key: _label(key, values[key], longest)
        for key, longest in DEPLOYMENT_TEXTS.items()
        if key in values
    }
    return {**values, **fitting}


def _when(given: Value) -> datetime.datetime:
    """Return a time that was sent as text, or the present one."""
    return column_types.utcnow() if given is None else datetime.datetime.fromisoformat(str(given))


def _config_summary(row: Row, with_project: bool) -> Values:
    values = {
        'id': row.id,
        'name': row.name,
        'group': row.group,
        'creation_time': format.time(row.created_at),
    }
    return {**values, 'project': row.tenant} if with_project else values


def _config(row: Row) -> Values:
    parts = row.config or {}
    return {
        **_config_summary(row, with_project=False),
        'config': parts.get('config'),
        'inputs': parts.get('inputs') or [],
        'outputs': parts.get('outputs') or [],
        'options': parts.get('options') or {},
    }


def _deployment(row: Row) -> Values:
    values = {
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
        values['updated_time'] = format.time(row.updated_at)
    return values
