"""Redirects from the name or ARN of a stack to its URL with name and id."""

import dataclasses
import functools

import webob
from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import views
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Value
from heat_lite.rpc.client import EngineClient


@dataclasses.dataclass
class StackLookupController:
    client: EngineClient

    def lookup(
        self,
        request: wsgi.Request,
        tenant_id: str,
        stack_name: str,
        body: Value = None,
        subpath: str = '',
    ) -> webob.Response:
        """Redirect (302) to ``subpath`` of the stack's URL, with the same query."""
        try:
            identity = HeatIdentifier.from_arn(stack_name)
        except ValueError:
            # An incomplete ARN is a name that no stack has.
            identity = HeatIdentifier.from_dict(
                self.client.identify_stack(request.context, stack_name=stack_name)
            )
        location = request.url_of(identity) + (f'/{subpath}' if subpath else '')
        query = views.encoded(request.query)
        return exc.HTTPFound(location=f'{location}?{query}' if query else location)

    lookup_resources = functools.partialmethod(lookup, subpath='resources')
    lookup_events = functools.partialmethod(lookup, subpath='events')
    lookup_template = functools.partialmethod(lookup, subpath='template')
    lookup_actions = functools.partialmethod(lookup, subpath='actions')
    lookup_environment = functools.partialmethod(lookup, subpath='environment')
    lookup_files = functools.partialmethod(lookup, subpath='files')
