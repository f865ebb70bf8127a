"""AWS::EC2::EIPAssociation."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.aws.ec2.base import ATTACHMENT, TABLE_OF_SUBNET, OnNetwork, named
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import string

ADDRESS, ALLOCATION, SERVER, CARD = NAMES = 'EIP', 'AllocationId', 'InstanceId', 'NetworkInterfaceId'


class EIPAssociation(OnNetwork):
    """What makes an address outside stand for a server, or for a network card."""

    resource_type = 'AWS::EC2::EIPAssociation'
    repeatable = True
    default_client_name = 'nova'

    properties_schema = {
        ADDRESS: string('The address.', update_allowed=True, constraints=[CustomConstraint('ip_addr')]),
        ALLOCATION: string('The address, by its id.', update_allowed=True),
        SERVER: string('The server.', update_allowed=True, ref='nova.server'),
        CARD: string('The network card, by its reference.', update_allowed=True),
    }

    def implied_dependencies(self, others):
        """What leads outside: a server that nothing leads to gets no such address."""
        return [*named(self, others, ATTACHMENT), *named(self, others, TABLE_OF_SUBNET)]

    def validate(self):
        super().validate()
        given = {name for name in NAMES if name in self.properties.given()}
        if ADDRESS in given and ALLOCATION in given:
            raise exception.ResourcePropertyConflict(ADDRESS, ALLOCATION)
        if not given & {ADDRESS, ALLOCATION}:
            raise exception.StackValidationFailed(f"Either '{ADDRESS}' or '{ALLOCATION}' must be provided.")
        if ADDRESS in given and SERVER not in given:
            raise exception.PropertyUnspecifiedError(ADDRESS, SERVER)
        if not given & {SERVER, CARD}:
            raise exception.PropertyUnspecifiedError(SERVER, CARD)

    def handle_create(self):
        address, port = self._address(), self._port()
        yield from self.lead_in(address, port)
        self.resource_id_set(self.properties[ADDRESS] or self.properties[ALLOCATION])

    def _address(self):
        return self.properties[ALLOCATION] or self._id_of(self.properties[ADDRESS])

    def _id_of(self, address):
        found = self.client().list('/floatingips', 'floatingips', floating_ip_address=address)
        if not found:
            raise errors.NotFound(f'There is no address {address}')
        return found[0]['id']

    def _port(self):
        return self.properties[CARD] or self.port_of_server(self.properties[SERVER])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Another address takes over; the same one only moves."""
        if ADDRESS in prop_diff or ALLOCATION in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def handle_delete(self):
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            address = self.held(ALLOCATION) or self._id_of(self.held(ADDRESS))
            yield from self.lead_in(address, None)

    def get_reference_id(self):
        return self.physical_resource_name() or self.name
