"""Events of a stack, or of one of its resources."""

import functools

import webob
from oslo_config import cfg
from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import event_streams, params, row_texts, views
from heat_lite.common.value_types import Value, Values
from heat_lite.operations import resources as operations
from heat_lite.rpc.client import EngineClient


class EventController:
    def __init__(self, client: EngineClient, conf: cfg.ConfigOpts) -> None:
        self.client = client
        self.streams = event_streams.EventStreams.from_options(client, conf)

    def index(
        self,
        request: wsgi.Request,
        identity: Values,
        resource_name: str | None = None,
    ) -> Value:
        """List the events of a stack, or of one resource; or stream those of a stack.

        No events of a resource are a 404: each resource has some. The page after the last one is
        empty: clients such as gophercloud read pages until there is an empty one.
        """
        if resource_name is None and event_streams.is_wanted(request):
            return self.streams.open(request, identity['tenant'], identity)
        query = params.read(operations.EVENT_PAGE, request.query)
        filters = params.read(operations.EVENT_FILTERS, request.query)
        if resource_name is not None:
            filters['resource_name'] = resource_name
        reply = self.client.ask_for_tables(
            EngineClient.list_events,
            request.context,
            stack_identity=identity,
            filters=filters or None,
            **query,
        )
        if resource_name is not None and not reply and not query.get('marker'):
            raise exc.HTTPNotFound(f'No events found for resource {resource_name}')
        with_root = query.get('nested_depth') is not None
        view = functools.partial(views.event, request.base, with_root=with_root)
        return row_texts.response('events', reply, view)

    def index_project(self, request: wsgi.Request, tenant_id: str) -> webob.Response:
        """Stream the events of all stacks of the project."""
        if not event_streams.is_wanted(request):
            raise exc.HTTPNotAcceptable(
                f'The events of a project are a stream: send "Accept: {event_streams.MEDIA_TYPE}".'
            )
        return self.streams.open(request, tenant_id, None)

    def show(
        self, request: wsgi.Request, resource_name: str, event_id: str, identity: Values
    ) -> Values:
        rows = self.client.list_events(
            request.context,
            stack_identity=identity,
            filters={'resource_name': resource_name, 'uuid': event_id},
        )
        if not rows:
            raise exc.HTTPNotFound(f'No event {event_id} found')
        return {'event': views.event(request.base, rows[0], with_detail=True)}
