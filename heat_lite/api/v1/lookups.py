"""A stack that is asked for by name: the client is sent to where the stack has its id."""

import functools

from webob import exc

from heat_lite.api.v1 import views
from heat_lite.common.identifier import HeatIdentifier


class LookupController:
    """Its rule is among those of stacks."""

    scope = 'stacks'

    def __init__(self, client):
        self.client = client

    def lookup(self, request, tenant_id, stack_name, body=None, path=''):
        """302 to the URL with the id, ``path`` below it, and the same query."""
        if stack_name.startswith('arn:'):
            identity = _from_arn(stack_name)
        else:
            identity = HeatIdentifier.from_dict(self.client.identify_stack(request.context, stack_name=stack_name))
        location = request.url_of(identity) + (f'/{path}' if path else '')
        query = views.encoded(request.query)
        return exc.HTTPFound(location=f'{location}?{query}' if query else location)

    lookup_resources = functools.partialmethod(lookup, path='resources')
    lookup_events = functools.partialmethod(lookup, path='events')
    lookup_template = functools.partialmethod(lookup, path='template')
    lookup_actions = functools.partialmethod(lookup, path='actions')
    lookup_environment = functools.partialmethod(lookup, path='environment')
    lookup_files = functools.partialmethod(lookup, path='files')


def _from_arn(text):
    try:
        return HeatIdentifier.from_arn(text)
    except ValueError as error:
        raise exc.HTTPBadRequest(str(error)) from None
