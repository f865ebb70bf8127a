"""AWS::EC2::EIP and AWS::EC2::EIPAssociation."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.aws.ec2.base import (
    ATTACHMENT,
    TABLE_OF_SUBNET,
    NetworkingResource,
    matching_names,
)
from heat_lite.resources.base.property_rules import empty, filled, one_of, refuse
from heat_lite.resources.openstack.neutron.addresses import Address
from heat_lite.template.schema import string

#: the key of the data of an EIP that holds its IP address
IP_ADDRESS = 'address'
ADDRESS, ALLOCATION, SERVER, INTERFACE = NAMES = (
    'EIP',
    'AllocationId',
    'InstanceId',
    'NetworkInterfaceId',
)


def paths_outside(resource, others):
    """Return the resources that make routers reachable: only then an address can be
    associated.
    """
    return [
        *matching_names(resource, others, ATTACHMENT),
        *matching_names(resource, others, TABLE_OF_SUBNET),
    ]


class ElasticIp(Address):
    """A floating IP. The reference is its IP address."""

    resource_type = 'AWS::EC2::EIP'
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
    attributes_schema = {'AllocationId': 'ID of the floating IP.'}
    implied_dependencies = paths_outside

    def handle_create(self):
        yield from self.allocate(self.external_network())
        self.data_set(IP_ADDRESS, self.fetch()['floating_ip_address'])
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

    def get_live_state(self, resource_properties):
        """Return the instance of the template if the address is associated with it."""
        port, server = self.fetch()['port_id'], self.stored_property('InstanceId')
        if server is None:
            return {}  # an association may have associated it
        with contextlib.suppress(errors.NotFound):
            server = server if self.port_of_server(server) == port else None
        return {'InstanceId': server}

    def get_reference_id(self):
        return self.data().get(IP_ADDRESS) or self._address_of_heat() or self.name

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


class ElasticIpAssociation(NetworkingResource):
    """The association of a floating IP with an instance or a network interface."""

    resource_type = 'AWS::EC2::EIPAssociation'
    repeatable = True
    default_client_name = 'nova'

    properties_schema = {
        ADDRESS: string('IP address of the floating IP.', update_allowed=True, custom='ip_addr'),
        ALLOCATION: string('ID of the floating IP to associate.', update_allowed=True),
        SERVER: string('ID of the instance.', update_allowed=True, ref='nova.server'),
        INTERFACE: string('ID of the network interface.', update_allowed=True),
    }
    property_rules = (
        refuse(
            "Either 'EIP' or 'AllocationId' must be provided.",
            EIP=lambda value, read: filled(value) == filled(read(ALLOCATION)),
        ),
        refuse("Must specify 'InstanceId' if you specify 'EIP'.", EIP=filled, InstanceId=empty),
        one_of(SERVER, INTERFACE, test=empty),
    )
    implied_dependencies = paths_outside

    def handle_create(self):
        address, port = self._address(), self._port()
        yield from self.associate_address(address, port)
        self.resource_id_set(self.properties[ADDRESS] or self.properties[ALLOCATION])

    def find_existing(self):
        """Return the id of the association of an interrupted create: the floating IP has the port
        of the stored properties. None without one.
        """
        address, allocation, server, interface = (self.stored_property(name) for name in NAMES)
        found = allocation or self._id_of(address)
        shown = self.client().show(f'/floatingips/{found}', 'floatingip')
        is_own = shown['port_id'] == (interface or self.port_of_server(server))
        return (address or allocation) if is_own else None

    def get_live_state(self, resource_properties):
        if self.find_existing() is None:
            raise errors.NotFound(f'{self.resource_id} is not associated any more')
        return self.stored_properties()

    def _address(self):
        return self.properties[ALLOCATION] or self._id_of(self.properties[ADDRESS])

    def _id_of(self, address):
        found = self.client().list('/floatingips', 'floatingips', floating_ip_address=address)
        if not found:
            raise errors.NotFound(f'There is no floating IP {address}')
        return found[0]['id']

    def _port(self):
        return self.properties[INTERFACE] or self.port_of_server(self.properties[SERVER])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Associate the floating IP with the new port.

        Another floating IP replaces the previous one, which is disassociated.
        """
        if ADDRESS in prop_diff or ALLOCATION in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def delete_object(self):
        with contextlib.suppress(errors.NotFound):
            address = self.stored_property(ALLOCATION) or self._id_of(self.stored_property(ADDRESS))
            yield from self.associate_address(address, None)

    def get_reference_id(self):
        return self.physical_resource_name() or self.name
