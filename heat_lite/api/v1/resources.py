"""Resources of a stack."""

from webob import exc

from heat_lite.api.v1 import params, views

UNHEALTHY = 'mark_unhealthy'
REASON = 'resource_status_reason'


class ResourceController:
    scope = 'resource'

    def __init__(self, client):
        self.client = client

    def index(self, request, **where):
        """The resources, with those of nested stacks down to ``nested_depth``. Unlike stacks, unknown filters are refused."""
        known = params.read(params.RESOURCES, request.query)
        filters = self._filters(request.query)
        rows = self.client.list_stack_resources(
            request.context,
            stack_identity=params.identity_of(**where),
            nested_depth=known.get('nested_depth') or 0,
            with_detail=known.get('with_detail', False),
            filters=filters,
        )
        return {'resources': [views.resource(request, row, known.get('with_detail')) for row in rows]}

    def _filters(self, query):
        unknown = sorted(set(query) - set(params.RESOURCE_FILTERS) - set(params.RESOURCES))
        if unknown:
            raise exc.HTTPBadRequest(f'Invalid filter parameters {unknown}')
        return params.read(params.RESOURCE_FILTERS, query)

    def show(self, request, resource_name, **where):
        with_attr = request.query.getall('with_attr') or None
        row = self._describe(request, where, resource_name, with_attr)
        return {'resource': views.resource(request, row, with_detail=True)}

    def metadata(self, request, resource_name, **where):
        return {'metadata': self._describe(request, where, resource_name)['metadata']}

    def _describe(self, request, where, resource_name, with_attr=None):
        identity = params.identity_of(**where)
        return self.client.describe_stack_resource(
            request.context, stack_identity=identity, resource_name=resource_name, with_attr=with_attr
        )

    def signal(self, request, resource_name, body=None, **where):
        """Tell the resource something; what, only its type knows."""
        identity = params.identity_of(**where)
        self.client.resource_signal(request.context, stack_identity=identity, resource_name=resource_name, details=body)

    def mark_unhealthy(self, request, resource_name, body, **where):
        """Have the next update replace the resource, or take that back."""
        unhealthy, reason = _health(body)
        self.client.resource_mark_unhealthy(
            request.context,
            stack_identity=params.identity_of(**where),
            resource_name=resource_name,
            mark_unhealthy=unhealthy,
            resource_status_reason=reason,
        )


def _health(body):
    if body is None:
        raise exc.HTTPBadRequest()
    unknown = set(body) - {UNHEALTHY, REASON}
    if unknown:
        raise exc.HTTPBadRequest(f'Invalid keys in resource mark unhealthy {unknown}')
    if UNHEALTHY not in body:
        raise exc.HTTPBadRequest(f'Missing mandatory ({UNHEALTHY}) key from mark unhealthy request')
    reason = body.get(REASON, '')
    if reason is not None and not isinstance(reason, str):
        raise exc.HTTPBadRequest(f'{REASON} must be a string.')
    return params.flag(UNHEALTHY, body[UNHEALTHY]), reason
