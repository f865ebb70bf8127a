"""Agent: a server on which os-collect-config runs, or something like it, that has to know where it finds what it is to do."""

import logging

from keystoneauth1 import exceptions

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources import agent_routes
from heat_lite.resources.stack_user import PASSWORD, UserBeside

LOG = logging.getLogger(__name__)
CFN, HEAT, TEMP_URL, ZAQAR = TRANSPORTS = ('POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE')
DEPLOYMENTS, COLLECT = 'deployments', 'os-collect-config'
#: ways that lead through another service of the cloud
ROUTES = {TEMP_URL: agent_routes.TempUrl, ZAQAR: agent_routes.Queue}


class Agent(UserBeside):
    """What the agent has to know is in the metadata of the resource, beside what it is to do; by some ways it gets all of that elsewhere.

    POLL_SERVER_CFN leads the agent to the REST API too: the API for CFN takes signals, and tells nothing.
    """

    metadata_follows = True
    #: where the agent looks besides, by itself
    looks_first: tuple[str, ...] = ()

    def properties_of(self, definition):
        """Where the template does not say how the server is told things, the operator may have said it."""
        made = super().properties_of(definition)
        usual = {name: value for name, value in self.stack.runtime.guests.defaults.items() if name in self.properties_schema}
        made.data = {**usual, **made.data}
        return made

    def refuse_transport(self):
        """Raises StackValidationFailed for a way that leads through a service that is not there."""
        transport = self.properties['software_config_transport']
        route = ROUTES.get(transport)
        if route is None:
            return
        try:
            self.stack.clients().require(route.service)
        except errors.NoCloud as error:
            raise exception.StackValidationFailed(f'{transport} needs the {route.label} service: {error}') from error

    def lay_out_for_agent(self):
        """What the agent has to know, with a user of its own where it has to log in. Gives the metadata."""
        self.close_ways()
        route = self._route()
        if self.user_id is None and (route is None or route.needs_user):
            self.create_user()
        if route is not None:
            route.open()
        made = self.metadata_change(lambda known: {**known, DEPLOYMENTS: known.get(DEPLOYMENTS, []), COLLECT: self._collect()})
        self.metadata_told(made)
        return made

    def _route(self):
        """The way through another service; None where the agent comes here."""
        kind = ROUTES.get(self.properties['software_config_transport'])
        return None if kind is None else kind(self)

    def _ways(self):
        """The ways that are open; that of the properties may not be any more."""
        return [route for route in (kind(self) for kind in ROUTES.values()) if route.is_open()]

    def metadata_told(self, metadata):
        for route in self._ways():
            route.put(metadata)

    def close_ways(self):
        """What another service keeps for the agent goes; where that service, or the user, has gone, so has what it kept."""
        for route in self._ways():
            try:
                route.close()
            except (errors.NotFound, errors.NoCloud, exceptions.NotFound, exceptions.Unauthorized) as error:
                LOG.warning('%s: what was kept for its agent is left behind: %s', self, error)

    def delete_user(self):
        self.close_ways()
        super().delete_user()

    def _collect(self):
        """Without Keystone there are no users, and no way that an agent knows: it is told by hand."""
        route = self._route()
        if route is not None:
            told = {**self._login(), **route.told()} if route.needs_user else route.told()
            return {'collectors': [*self.looks_first, route.collector, 'local'], route.collector: told}
        if self.users is None:
            return {'collectors': [*self.looks_first, 'local']}
        identity = self.stack.identifier()
        told = {**self._login(), 'stack_id': f'{identity.stack_name}/{identity.stack_id}', 'resource_name': self.name}
        return {'collectors': [*self.looks_first, 'heat', 'local'], 'heat': told}

    def _login(self):
        addresses = self.stack.runtime.addresses
        return {
            'user_id': self.user_id,
            'password': self.data()[PASSWORD],
            'auth_url': f'{addresses.auth_url}/',
            'project_id': self.users.project_id(),
            'region_name': addresses.region,
        }

    def os_collect_config(self):
        return self.metadata_get(refresh=True).get(COLLECT, {})

    def metadata_set(self, metadata):
        """Whatever the template says, the agent finds what is meant for it."""
        known = self.metadata_get(refresh=True)
        made = {**metadata, **{key: known[key] for key in (DEPLOYMENTS, COLLECT) if key in known}}
        super().metadata_set(made)
        self.metadata_told(made)

    def access_allowed(self, resource_name):
        return resource_name == self.name
