"""Software configurations, and their deployments on servers."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.common.value_types import Value, Values
from heat_lite.operations import software as operations
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc import api
from heat_lite.rpc.client import EngineClient

CONFIG_KEYS = ('group', 'name', 'config', 'inputs', 'outputs', 'options')
DEPLOYMENT_KEYS = (
    'config_id',
    'server_id',
    'input_values',
    'action',
    'status',
    'status_reason',
    'stack_user_project_id',
)
DEPLOYMENT_UPDATE_KEYS = (
    'config_id',
    'input_values',
    'output_values',
    'action',
    'status',
    'status_reason',
)

# types of values that are validated here, because the engine would fail later
TYPES: dict[str, type] = {
    'inputs': list,
    'outputs': list,
    'input_values': dict,
    'output_values': dict,
}
#: keys of a configuration whose empty values stand for none, whatever their type (as in Heat)
OPTIONAL_KEYS = ('inputs', 'outputs', 'options')
STRING_KEYS = (
    'group',
    'name',
    'config_id',
    'server_id',
    'action',
    'status',
    'status_reason',
    'stack_user_project_id',
)


@dataclasses.dataclass
class ConfigController:
    client: EngineClient
    policy: Enforcer

    def index(self, request: wsgi.Request, tenant_id: str) -> Values:
        """List the configurations of the project, or of all projects with ``global_tenant``."""
        all_projects = params.read_flag(request.query, api.PARAM_GLOBAL_TENANT)
        self.policy.enforce(
            request.context,
            'software_configs:global_index' if all_projects else 'software_configs:index',
        )
        scope = {'tenant_safe': False} if all_projects else {}
        rows = self.client.list_software_configs(
            request.context, **params.read(operations.CONFIG_PAGE, request.query), **scope
        )
        return {'software_configs': [views.pick(row, operations.CONFIG_KEYS) for row in rows]}

    def create(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        values: Values = {key: None for key in ('group', 'name', 'config')} | _values(
            body, CONFIG_KEYS
        )
        return self._view(self.client.create_software_config(request.context, **values))

    def _view(self, row: Values) -> Values:
        return {'software_config': views.pick(row, operations.CONFIG_KEYS)}


@dataclasses.dataclass
class DeploymentController:
    client: EngineClient

    def create(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        values = {'server_id': None, 'action': None, 'status': None} | _values(
            body, DEPLOYMENT_KEYS
        )
        return self._view(self.client.create_software_deployment(request.context, **values))

    def update(
        self, request: wsgi.Request, tenant_id: str, deployment_id: str, body: Value
    ) -> Values:
        values = _values(body, DEPLOYMENT_UPDATE_KEYS)
        return self._view(
            self.client.update_software_deployment(
                request.context, deployment_id=deployment_id, **values
            )
        )

    def _view(self, row: Values) -> Values:
        return {'software_deployment': views.pick(row, operations.DEPLOYMENT_KEYS)}


def _values(body: Value, keys: tuple[str, ...]) -> Values:
    """Return the values of those ``keys`` that the body has.

    Unknown keys are ignored. Raises HTTPBadRequest for a value of a wrong type.
    """
    if body is None:
        raise exc.HTTPBadRequest()
    values = {
        key: None if key in OPTIONAL_KEYS and not body[key] else body[key]
        for key in keys
        if key in body
    }
    for key, value in values.items():
        expected = TYPES.get(key)
        if expected and value is not None and not isinstance(value, expected):
            raise exc.HTTPBadRequest(f'{key} must be a {"list" if expected is list else "map"}.')
        if key in STRING_KEYS and (isinstance(value, list | dict) or '\0' in str(value)):
            raise exc.HTTPBadRequest(f'{key} must be a string without NUL characters.')
    return values
