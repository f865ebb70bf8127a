"""Software configurations, and their deployments on servers."""

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.rpc import api

CONFIG_KEYS = ('group', 'name', 'config', 'inputs', 'outputs', 'options')
DEPLOYMENT_KEYS = ('config_id', 'server_id', 'input_values', 'action', 'status', 'status_reason', 'stack_user_project_id')
CHANGES_KEYS = ('config_id', 'input_values', 'output_values', 'action', 'status', 'status_reason')

# what a value must be, where anything else would only break later
KINDS = {'inputs': list, 'outputs': list, 'options': dict, 'input_values': dict, 'output_values': dict}
LABELS = ('group', 'name', 'config_id', 'server_id', 'action', 'status', 'status_reason', 'stack_user_project_id')


class ConfigController:
    scope = 'software_configs'

    def __init__(self, client, policy):
        self.client = client
        self.policy = policy

    def index(self, request, tenant_id):
        """The configurations of the project, or of all with ``global_tenant``."""
        of_all = params.read_flag(request.query, api.PARAM_GLOBAL_TENANT)
        self.policy.enforce(request.context, 'software_configs:global_index' if of_all else 'software_configs:index')
        scope = {'tenant_safe': False} if of_all else {}
        rows = self.client.list_software_configs(request.context, **params.read(params.CONFIGS, request.query), **scope)
        return {'software_configs': [views.pick(row, views.CONFIG) for row in rows]}

    def show(self, request, tenant_id, config_id):
        return self._one(self.client.show_software_config(request.context, config_id=config_id))

    def create(self, request, tenant_id, body):
        values = {key: None for key in ('group', 'name', 'config')} | _values(body, CONFIG_KEYS)
        return self._one(self.client.create_software_config(request.context, **values))

    def delete(self, request, tenant_id, config_id):
        self.client.delete_software_config(request.context, config_id=config_id)
        return wsgi.no_content()

    def _one(self, row):
        return {'software_config': views.pick(row, views.CONFIG)}


class DeploymentController:
    scope = 'software_deployments'

    def __init__(self, client):
        self.client = client

    def index(self, request, tenant_id):
        rows = self.client.list_software_deployments(request.context, server_id=request.query.get('server_id'))
        return {'software_deployments': [views.pick(row, views.DEPLOYMENT) for row in rows]}

    def metadata(self, request, tenant_id, server_id):
        """What the agent on a server is to do."""
        rows = self.client.metadata_software_deployments(request.context, server_id=server_id)
        return {'metadata': rows}

    def show(self, request, tenant_id, deployment_id):
        return self._one(self.client.show_software_deployment(request.context, deployment_id=deployment_id))

    def create(self, request, tenant_id, body):
        values = {'server_id': None, 'action': None, 'status': None} | _values(body, DEPLOYMENT_KEYS)
        return self._one(self.client.create_software_deployment(request.context, **values))

    def update(self, request, tenant_id, deployment_id, body):
        values = _values(body, CHANGES_KEYS)
        return self._one(self.client.update_software_deployment(request.context, deployment_id=deployment_id, **values))

    def delete(self, request, tenant_id, deployment_id):
        self.client.delete_software_deployment(request.context, deployment_id=deployment_id)
        return wsgi.no_content()

    def _one(self, row):
        return {'software_deployment': views.pick(row, views.DEPLOYMENT)}


def _values(body, keys):
    """Those of ``keys`` that the body has; unknown ones are ignored, wrong kinds refused."""
    if body is None:
        raise exc.HTTPBadRequest()
    values = {key: body[key] for key in keys if key in body}
    for key, value in values.items():
        kind = KINDS.get(key)
        if kind and value is not None and not isinstance(value, kind):
            raise exc.HTTPBadRequest(f'{key} must be a {"list" if kind is list else "map"}.')
        if key in LABELS and (isinstance(value, list | dict) or '\0' in str(value)):
            raise exc.HTTPBadRequest(f'{key} must be a string without NUL characters.')
    return values
