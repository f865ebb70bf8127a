"""The bases of types of Nova and EC2 whose floating IPs are objects of Neutron."""

import functools

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.service_retry import ServiceRetry

NETWORK_SERVICE = 'neutron'


class AddressUser(ServiceResource):
    """A resource that uses floating IPs. The client name in the schema of its type may be
    another one.
    """

    default_client_name: str | None = NETWORK_SERVICE

    def client(self, name=None):
        return super().client(name or NETWORK_SERVICE)

    def external_network(self):
        """Return the id of the external network. Raises Error unless there is exactly one."""
        found = self.client().list('/networks', 'networks', **{'router:external': True})
        if len(found) != 1:
            raise exception.Error(f'Expected 1 external network, found {len(found)}')
        return found[0]['id']

    def associate_address(self, address, port):
        """Generator: associate a floating IP with a port; disassociate it if ``port`` is None."""
        yield from self.call_with_retry(
            self.client().update, f'/floatingips/{address}', 'floatingip', {'port_id': port}
        )

    def port_of_server(self, server):
        """Return the id of the first port of a server. Raises NotFound if it has none."""
        found = self.client().list('/ports', 'ports', device_id=server)
        if not found:
            raise errors.NotFound(f'The server {server} has no port')
        return found[0]['id']


class Address(AddressUser):
    """A floating IP. Its description identifies it."""

    def allocate(self, network):
        """Generator: allocate the floating IP from an external network, unless there is one."""
        if self.resource_id is None:
            values = {'floating_network_id': network, 'description': self.physical_resource_name()}
            client = self.client()
            made = yield from ServiceRetry(self, service=NETWORK_SERVICE).until_made(
                functools.partial(client.create, '/floatingips', 'floatingip', values),
                self.find_existing,
                lambda found: client.show(f'/floatingips/{found}', 'floatingip'),
            )
            self.resource_id_set(made['id'])

    def find_existing(self):
        """Return the id of the floating IP that an interrupted create has made."""
        known = self.physical_resource_name()
        found = self.client().list('/floatingips', 'floatingips', description=known)
        return next((each['id'] for each in found if each.get('description') == known), None)

    def fetch(self):
        return self.client().show(f'/floatingips/{self.resource_id}', 'floatingip')

    def get_live_state(self, resource_properties):
        self.fetch()
        return {}

    def importable_state(self):
        return self.get_live_state(self.properties)

    def handle_check(self):
        self.require_object()
        self.fetch()

    def delete_object(self):
        yield from self.delete_path(f'/floatingips/{self.resource_id}')
