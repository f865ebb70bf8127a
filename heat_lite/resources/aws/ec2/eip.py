"""AWS::EC2::EIP."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.aws.ec2.base import (
    ATTACHMENT,
    TABLE_OF_SUBNET,
    matching_names,
)
from heat_lite.resources.openstack.neutron.addresses import Address
from heat_lite.template.schema import string, text

ADDRESS = 'address'


class EIP(Address):
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
        yield from self.allocate(self.external_network())
        self.data_set(ADDRESS, self.fetch()['floating_ip_address'])
        if self.properties['InstanceId']:
            yield from self.associate_address(
                self.resource_id, self.port_of_server(self.properties['InstanceId'])
            )

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'InstanceId' in prop_diff:
            server = prop_diff['InstanceId']
            yield from self.associate_address(
                self.resource_id, self.port_of_server(server) if server else None
            )

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
