"""Resource types, template versions and their functions."""

from typing import Any

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params
from heat_lite.rpc.client import EngineClient

TEMPLATE_TYPES = ('cfn', 'hot')


class ResourceTypeController:
    """Actions on resource types; their policy rules are among those of stacks."""

    scope = 'stacks'

    def __init__(self, client: EngineClient) -> None:
        self.client = client

    def list_resource_types(self, request: wsgi.Request, tenant_id: str) -> dict[str, Any]:
        query = params.read(params.RESOURCE_TYPES, request.query)
        types = self.client.list_resource_types(
            request.context,
            support_status=query.get('support_status'),
            type_name=query.get('name'),
            heat_version=query.get('version'),
            with_description=query.get('with_description', False),
        )
        result = {'resource_types': types}
        if query.get('with_unavailable'):  # not in Heat, which ignores the key
            result['unavailable_types'] = self.client.list_unavailable_types(
                request.context, type_name=query.get('name')
            )
        return result

    def resource_schema(self, request: wsgi.Request, tenant_id: str, type_name: str) -> Any:
        return self.client.resource_schema(
            request.context, type_name=type_name, with_description=False
        )

    def generate_template(self, request: wsgi.Request, tenant_id: str, type_name: str) -> Any:
        """Return a template with one resource of the type."""
        kind = request.query.get('template_type', 'cfn').lower()
        if kind not in TEMPLATE_TYPES:
            reason = f'Invalid template type "{kind}", valid types are: cfn, hot.'
            raise exc.HTTPBadRequest(f'Template type is not supported: {reason}')
        return self.client.generate_template(
            request.context, type_name=type_name, template_type=kind
        )

    def list_template_versions(self, request: wsgi.Request, tenant_id: str) -> dict[str, Any]:
        return {'template_versions': self.client.list_template_versions(request.context)}

    def list_template_functions(
        self, request: wsgi.Request, tenant_id: str, template_version: str
    ) -> dict[str, Any]:
        with_condition = params.read_flag(request.query, 'with_condition_func')
        functions = self.client.list_template_functions(
            request.context, template_version=template_version, with_condition=with_condition
        )
        return {'template_functions': functions}
