"""Where servers and users reach this service, and Keystone, as far as the configuration says."""

import dataclasses

from heat_lite.clients import session


@dataclasses.dataclass(frozen=True)
class Addresses:
    """``rest`` has a place for the project, ``%(tenant_id)s``; None: ask the catalog. ``waitcondition`` is that of the API for CFN."""

    rest: str | None = None
    waitcondition: str | None = None
    auth_url: str | None = None
    region: str | None = None

    def rest_of(self, project):
        """The REST API of a project, without a slash at the end; None where nobody has said it."""
        return self.rest and self.rest.replace('%(tenant_id)s', project).rstrip('/')


def of(conf):
    return Addresses(
        rest=conf.clients_heat.url,
        waitcondition=conf.heat_waitcondition_server_url and conf.heat_waitcondition_server_url.rstrip('/'),
        auth_url=session.auth_url(conf),
        region=conf.region_name_for_services,
    )
