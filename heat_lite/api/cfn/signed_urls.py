"""Signals, and what the agent in a container reads, by signed URLs.

PUT /v1/waitcondition/{arn}, POST or PUT /v1/signal/{arn}, and GET /v1/deployments/{server_id}.
"""

import dataclasses
import re

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import ec2token, faults, responses, signatures
from heat_lite.common import exception, identifier
from heat_lite.common.admission import RequestAdmission
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

SIGNAL = re.compile(r'/v1/(?P<kind>waitcondition|signal)/(?P<arn>arn:.+)')
DEPLOYMENTS = '/v1/deployments/'
METHODS = ec2token.SIGNED_METHODS
RESOURCE = '/resources/'


@dataclasses.dataclass
class SignedUrlApplication(wsgi.Responder):
    """The application; ``max_body`` in bytes."""

    client: EngineClient
    enforcer: Enforcer
    admission: RequestAdmission
    max_body: int

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        request, context = webob.Request(environ), environ[wsgi.CONTEXT]
        path = signatures.path_of(request)
        if path.startswith(DEPLOYMENTS):
            return self._deployments(request, context, path.removeprefix(DEPLOYMENTS))
        if (found := SIGNAL.fullmatch(path)) and request.method in METHODS[found['kind']]:
            return self._signal(request, context, found['arn'], found['kind'])
        raise _unknown_path(
            f'{request.method} {request.path} is not supported: this API accepts signals only'
        )

    def _deployments(
        self, request: webob.Request, context: RequestContext, server_id: str
    ) -> webob.Response:
        """Return the JSON of the same request to the REST API.

        The signer sees the deployments of its own stack.
        """
        if not server_id or '/' in server_id:
            raise _unknown_path(f'{request.path} names no server')
        self.enforcer.enforce(context, 'software_deployments:metadata')
        with self.admission.permit(context, request.environ):
            rows = self.client.metadata_software_deployments(context, server_id=server_id)
        return wsgi.json_response({'metadata': rows})

    def _signal(
        self, request: webob.Request, context: RequestContext, arn: str, kind: str
    ) -> webob.Response:
        """Signal a resource; signals to wait conditions are synchronous, others are not."""
        self.enforcer.enforce(context, 'resource:signal')
        stack, name = _resource(arn, context)
        body = wsgi.read_body(request.environ, self.max_body)
        with self.admission.permit(context, request.environ):
            self.client.resource_signal(
                context,
                stack_identity=stack,
                resource_name=name,
                details=_details(body),
                sync_call=kind == 'waitcondition',
            )
        return responses.xml_response({'resource': name})


def _unknown_path(text: str) -> faults.Fault:
    return faults.Fault(404, 'InvalidAction', text)


def _details(body: bytes) -> Value:
    try:
        return wsgi.parse_json(body)
    except ValueError as error:
        raise exception.Invalid(reason=f'the signal is not valid JSON: {error}') from None


def _resource(arn: str, context: RequestContext) -> tuple[Values, str]:
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
