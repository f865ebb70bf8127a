"""Resource types."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params
from heat_lite.common.value_types import Values
from heat_lite.operations import templates
from heat_lite.rpc.client import EngineClient

TEMPLATE_TYPES = ('cfn', 'hot')


@dataclasses.dataclass
class ResourceTypeController:
    client: EngineClient

    def list_resource_types(self, request: wsgi.Request, tenant_id: str) -> Values:
        query = params.read(templates.TYPE_LIST, request.query)
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

    def generate_template(self, request: wsgi.Request, tenant_id: str, type_name: str) -> Values:
        """Return a template with one resource of the type."""
        kind = request.query.get('template_type', 'cfn').lower()
        if kind not in TEMPLATE_TYPES:
            reason = f'Invalid template type "{kind}", valid types are: cfn, hot.'
            raise exc.HTTPBadRequest(f'Template type is not supported: {reason}')
        return self.client.generate_template(
            request.context, type_name=type_name, template_type=kind
        )
