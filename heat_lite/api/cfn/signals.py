"""Signals by signed URLs: PUT /v1/waitcondition/{arn}, POST or PUT /v1/signal/{arn}."""

import re
from collections.abc import Iterable
from typing import Any

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import ec2token, faults, responses
from heat_lite.common import exception, identifier
from heat_lite.common.admission import RequestAdmission
from heat_lite.common.context import RequestContext
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

PATH = re.compile(r'/v1/(?P<kind>waitcondition|signal)/(?P<arn>arn:.+)')
METHODS = ec2token.SIGNED_METHODS
RESOURCE = '/resources/'
RULE = 'resource:signal'


class SignalApplication:
    """The application; signals to wait conditions are synchronous, others are not."""

    def __init__(
        self,
        client: EngineClient,
        enforcer: Enforcer,
        control: RequestAdmission,
        max_body: int,
    ) -> None:
        self.client = client
        self.enforcer = enforcer
        self.admission = control
        self.max_body = max_body

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        request = webob.Request(environ)
        return self._signal(request, environ[wsgi.CONTEXT])(environ, start_response)

    def _signal(self, request: webob.Request, context: RequestContext) -> webob.Response:
        found = PATH.fullmatch(request.script_name + request.path_info)
        if not found or request.method not in METHODS[found['kind']]:
            raise faults.Fault(
                404,
                'InvalidAction',
                f'{request.method} {request.path} is not supported: this API accepts signals only',
            )
        self.enforcer.enforce(context, RULE)
        stack, name = _resource(found['arn'], context)
        synchronous = found['kind'] == 'waitcondition'
        body = wsgi.read_body(request.environ, self.max_body)
        with self.admission.permit(context, request.environ):
            self.client.resource_signal(
                context,
                stack_identity=stack,
                resource_name=name,
                details=_details(body),
                sync_call=synchronous,
            )
        return responses.xml_response({'resource': name})


def _details(body: bytes) -> Any:
    try:
        return wsgi.parse_json(body, body) if body else None
    except ValueError as error:
        raise exception.Invalid(reason=f'the signal is not valid JSON: {error}') from None


def _resource(arn: str, context: RequestContext) -> tuple[dict[str, Any], str]:
    """Return the identity of the stack in the project of the signer, and the resource name."""
    try:
        identity = identifier.HeatIdentifier.from_arn(arn)
    except ValueError as error:
        raise exception.Invalid(reason=str(error)) from None
    if not identity.path.startswith(RESOURCE):
        raise exception.Invalid(reason=f'"{arn}" names no resource')
    stack = identifier.HeatIdentifier(
        context.tenant_id or '', identity.stack_name, identity.stack_id
    )
    return stack.as_dict(), identity.path.removeprefix(RESOURCE)
