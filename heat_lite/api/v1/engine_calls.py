"""Actions of the operations that pass their request on to one method of the engine."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.common.value_types import Value, Values
from heat_lite.operations.operation import Operation
from heat_lite.operations.remote_method import Method
from heat_lite.rpc.client import EngineClient


@dataclasses.dataclass
class EngineCall:
    """The action of an operation; ``method`` is that which it calls."""

    client: EngineClient
    operation: Operation
    method: Method

    def __call__(
        self,
        request: wsgi.Request,
        tenant_id: str | None = None,
        identity: Values | None = None,
        body: Value = None,
        **gaps: Value,
    ) -> Value:
        stack = {} if identity is None else {'stack_identity': identity}
        args = {**stack, **gaps, **self._query_arguments(request)}
        reply = self.client.invoke(self.method, request.context, **args)
        if self.operation.status == 204:
            return wsgi.no_content()
        if self.operation.status == 202:
            return exc.HTTPAccepted()
        return self._view(reply)

    def _query_arguments(self, request: wsgi.Request) -> Values:
        """Return the arguments that the query sets; a false flag is one that is not set."""
        return {
            self.operation.sends.get(name, name): value
            for name, value in params.read(self.operation.query, request.query).items()
            if value is not None and value is not False
        }

    def _view(self, reply: Value) -> Value:
        columns, key = self.operation.columns, self.operation.key
        if columns and isinstance(reply, list):
            reply = [views.pick(row, columns) for row in reply]
        elif columns:
            reply = views.pick(reply, columns)
        return {key: reply} if key else reply
