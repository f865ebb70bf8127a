"""Resources of a stack."""

import dataclasses
import functools
from typing import Literal

from webob import exc
from webob.multidict import MultiDict

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, row_texts, views
from heat_lite.common.value_types import Value, Values
from heat_lite.operations import resources as operations
from heat_lite.rpc.client import EngineClient

UNHEALTHY = 'mark_unhealthy'
REASON = 'resource_status_reason'


@dataclasses.dataclass
class ResourceController:
    client: EngineClient

    def index(self, request: wsgi.Request, identity: Values) -> Values:
        """List the resources, with those of nested stacks down to ``nested_depth``.

        Unknown filters are an error, unlike those of stacks, as in Heat.
        """
        known = params.read(operations.SCOPE, request.query)
        filters = self._filters(request.query)
        reply = self.client.ask_for_tables(
            EngineClient.list_stack_resources,
            request.context,
            stack_identity=identity,
            nested_depth=known.get('nested_depth') or 0,
            with_detail=known.get('with_detail', False),
            filters=filters,
        )
        with_detail = known.get('with_detail')
        view = functools.partial(views.resource, request, with_detail=with_detail)
        return row_texts.response('resources', reply, view)

    def _filters(self, query: MultiDict) -> Values:
        unknown = sorted(set(query) - set(operations.FILTERS) - set(operations.SCOPE))
        if unknown:
            raise exc.HTTPBadRequest(f'Invalid filter parameters {unknown}')
        return params.read(operations.FILTERS, query)

    def show(self, request: wsgi.Request, resource_name: str, identity: Values) -> Values:
        with_attr = request.query.getall('with_attr') or None
        row = self._describe(request, identity, resource_name, with_attr)
        return {'resource': views.resource(request, row, with_detail=True)}

    def metadata(self, request: wsgi.Request, resource_name: str, identity: Values) -> Values:
        return {'metadata': self._describe(request, identity, resource_name, False)['metadata']}

    def _describe(
        self,
        request: wsgi.Request,
        identity: Values,
        resource_name: str,
        with_attr: list[str] | Literal[False] | None,
    ) -> Values:
        return self.client.describe_stack_resource(
            request.context,
            stack_identity=identity,
            resource_name=resource_name,
            with_attr=with_attr,
        )

    def signal(
        self, request: wsgi.Request, resource_name: str, identity: Values, body: Value = None
    ) -> None:
        """Send a signal to the resource; its type interprets the body."""
        self.client.resource_signal(
            request.context, stack_identity=identity, resource_name=resource_name, details=body
        )

    def mark_unhealthy(
        self, request: wsgi.Request, resource_name: str, body: Value, identity: Values
    ) -> None:
        """Mark the resource unhealthy, so that the next update replaces it, or remove the mark."""
        unhealthy, reason = _health(body)
        self.client.resource_mark_unhealthy(
            request.context,
            stack_identity=identity,
            resource_name=resource_name,
            mark_unhealthy=unhealthy,
            resource_status_reason=reason,
        )


def _health(body: Value) -> tuple[bool, str | None]:
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
