"""What the agent in a container reads by a signed URL: GET /v1/deployments/{server_id}."""

import re
from collections.abc import Iterable

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import faults
from heat_lite.common.admission import RequestAdmission
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

PATH = re.compile(r'/v1/deployments/(?P<server_id>[^/]+)')
RULE = 'software_deployments:metadata'


class DeploymentsApplication:
    """The application; it answers with the JSON of the same request to the REST API.

    The signer sees the deployments of its own stack.
    """

    def __init__(
        self,
        client: EngineClient,
        enforcer: Enforcer,
        control: RequestAdmission,
    ) -> None:
        self.client = client
        self.enforcer = enforcer
        self.admission = control

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        request, context = webob.Request(environ), environ[wsgi.CONTEXT]
        found = PATH.fullmatch(request.script_name + request.path_info)
        if not found:
            raise faults.Fault(404, 'InvalidAction', f'{request.path} names no server')
        self.enforcer.enforce(context, RULE)
        with self.admission.permit(context, environ):
            rows = self.client.metadata_software_deployments(context, server_id=found['server_id'])
        return wsgi.json_response({'metadata': rows})(environ, start_response)
