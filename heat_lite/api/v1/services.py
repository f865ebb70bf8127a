"""The service itself: its engines and its revision."""


class BuildInfoController:
    """``revision`` is what the operator calls this installation."""

    scope = 'build_info'

    def __init__(self, client, revision):
        self.client = client
        self.revision = revision

    def build_info(self, request, tenant_id):
        return {'api': {'revision': self.revision}, 'engine': {'revision': self.client.get_revision(request.context)}}


class ServiceController:
    scope = 'service'

    def __init__(self, client):
        self.client = client

    def index(self, request, tenant_id):
        return {'services': self.client.list_services(request.context)}
