"""What templates can be made of: resource types, template versions, their functions."""

from webob import exc

from heat_lite.api.v1 import params

TEMPLATE_TYPES = ('cfn', 'hot')


class TypeController:
    """Its rules are among those of stacks."""

    scope = 'stacks'

    def __init__(self, client):
        self.client = client

    def list_resource_types(self, request, tenant_id):
        query = params.read(params.RESOURCE_TYPES, request.query)
        types = self.client.list_resource_types(
            request.context,
            support_status=query.get('support_status'),
            type_name=query.get('name'),
            heat_version=query.get('version'),
            with_description=query.get('with_description', False),
        )
        return {'resource_types': types}

    def resource_schema(self, request, tenant_id, type_name):
        return self.client.resource_schema(request.context, type_name=type_name, with_description=False)

    def generate_template(self, request, tenant_id, type_name):
        """A template that makes one resource of the type."""
        kind = request.query.get('template_type', 'cfn').lower()
        if kind not in TEMPLATE_TYPES:
            reason = f'Invalid template type "{kind}", valid types are: cfn, hot.'
            raise exc.HTTPBadRequest(f'Template type is not supported: {reason}')
        return self.client.generate_template(request.context, type_name=type_name, template_type=kind)

    def list_template_versions(self, request, tenant_id):
        return {'template_versions': self.client.list_template_versions(request.context)}

    def list_template_functions(self, request, tenant_id, template_version):
        with_condition = params.read_flag(request.query, 'with_condition_func')
        functions = self.client.list_template_functions(request.context, template_version=template_version, with_condition=with_condition)
        return {'template_functions': functions}
