"""The build of the service."""

from heat_lite.api import wsgi
from heat_lite.common import installation
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient


class BuildInfoController:
    """Build information; ``revision`` is the option of the operator."""

    def __init__(self, client: EngineClient, revision: str) -> None:
        self.client = client
        self.revision = installation.build_name(revision)

    def build_info(self, request: wsgi.Request, tenant_id: str) -> Values:
        return {
            'api': {'revision': self.revision},
            'engine': {'revision': self.client.get_revision(request.context)},
        }
