"""AWS::EC2::EIP."""

import contextlib
import functools

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.aws.ec2.base import (
    ATTACHMENT,
    NETWORK_SERVICE,
    TABLE_OF_SUBNET,
    NetworkingResource,
    matching_names,
)
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.template.schema import string, text

ADDRESS = 'address'


class EIP(NetworkingResource):
    """A floating IP. The reference is its IP address."""

    resource_type = 'AWS::EC2::EIP'
    heat_class = 'ElasticIp'
    default_client_name = 'nova'

    properties_schema = {
        'Domain': string(
            'Not used; each address belongs to the external network.',
            allowed=['vpc'],
            history='deprecated 9.0.0',
        ),
        'InstanceId': string(
            'ID of the instance that the address is associated with.',
            update_allowed=True,
            ref='nova.server',
        ),
    }
    attributes_schema = {'AllocationId': text('ID of the floating IP.')}

    def implied_dependencies(self, others):
        """Return the resources that make routers reachable: only then an address can be
        associated.
        """
        return [
            *matching_names(self, others, ATTACHMENT),
            *matching_names(self, others, TABLE_OF_SUBNET),
        ]

    def handle_create(self):
        if self.resource_id is None:
            values = {
                'floating_network_id': self.external_network(),
                'description': self.physical_resource_name(),
            }
            client = self.client()
            made = yield from ServiceRetry(self, service=NETWORK_SERVICE).until_made(
                functools.partial(client.create, '/floatingips', 'floatingip', values),
                self.find_existing,
                lambda found: client.show(f'/floatingips/{found}', 'floatingip'),
            )
            self.resource_id_set(made['id'])
        self.data_set(ADDRESS, self.fetch()['floating_ip_address'])
        if self.properties['InstanceId']:
            yield from self.associate_address(
                self.resource_id, self.port_of_server(self.properties['InstanceId'])
            )

    def find_existing(self):
        """Return the id of the floating IP that an interrupted create has made.

        The description identifies it.
        """
        known = self.physical_resource_name()
        found = self.client().list('/floatingips', 'floatingips', description=known)
        return next((each['id'] for each in found if each.get('description') == known), None)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'InstanceId' in prop_diff:
            server = prop_diff['InstanceId']
            yield from self.associate_address(
                self.resource_id, self.port_of_server(server) if server else None
            )

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.delete_path(f'/floatingips/{self.resource_id}')

    def handle_check(self):
        self.require_object()
        self.fetch()

    def fetch(self):
        return self.client().show(f'/floatingips/{self.resource_id}', 'floatingip')

    def get_reference_id(self):
        return self.data().get(ADDRESS) or self._address_of_heat() or self.name

    def _address_of_heat(self):
        """Return the address of a floating IP of Heat, which stores its id alone; None without
        one.
        """
        if self.resource_id is None or self.status != status.COMPLETE:
            return None
        with contextlib.suppress(*errors.LOST):
            return self.fetch()['floating_ip_address']
        return None

    def resolve_attribute(self, name):
        return self.resource_id
