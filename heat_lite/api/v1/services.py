"""The engines of the service and its revision."""

from typing import Any

from heat_lite.api import wsgi
from heat_lite.api.v1 import params
from heat_lite.common import installation
from heat_lite.rpc.client import EngineClient


class BuildInfoController:
    """Build information; ``revision`` is the option of the operator."""

    scope = 'build_info'

    def __init__(self, client: EngineClient, revision: str) -> None:
        self.client = client
        self.revision = installation.build_name(revision)

    def build_info(self, request: wsgi.Request, tenant_id: str) -> dict[str, Any]:
        return {
            'api': {'revision': self.revision},
            'engine': {'revision': self.client.get_revision(request.context)},
        }


class ServiceController:
    scope = 'service'

    def __init__(self, client: EngineClient) -> None:
        self.client = client

    def index(self, request: wsgi.Request, tenant_id: str) -> dict[str, Any]:
        """List the engines; ``with_stacks`` adds the top-level stacks on which each works."""
        more = {'with_stacks': True} if params.read_flag(request.query, 'with_stacks') else {}
        return {'services': self.client.list_services(request.context, **more)}
