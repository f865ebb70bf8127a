"""The door for the engines themselves: who is there, and which build they are."""

from heat_lite.db import services as db_services
from heat_lite.engine import format
from heat_lite.engine.endpoints.base import Endpoint


class Services(Endpoint):
    def list_services(self, context):
        """All engines that have ever registered and were not cleaned away."""
        return [format.service(row, db_services.is_up(row)) for row in db_services.list(context)]

    def get_revision(self, context):
        """The operator's name of this build (option ``[revision] heat_revision``)."""
        return self._runtime.revision

    def authenticated_to_backend(self, context):
        """Whether the context may work on its cloud: always, unless the policy of the API said no before."""
        return True
